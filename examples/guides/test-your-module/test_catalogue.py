import json
import os
import unittest
from urllib.parse import urlencode
from urllib.request import Request, urlopen

URL = os.environ["MODELCATALOGUE_BASE_URL"]
GROUP = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"


def latest(group):  # in place of the program under test
    credentials = {"grant_type": "client_credentials", "client_id": os.environ["MODELCATALOGUE_CLIENT_ID"],
                   "client_secret": os.environ["MODELCATALOGUE_CLIENT_SECRET"]}
    token = json.load(urlopen(f"{URL}/v1/auth/token", urlencode(credentials).encode()))["access_token"]
    headers = {"Authorization": f"Bearer {token}"}
    return json.load(urlopen(Request(f"{URL}/v1/model-group/{group}/latest-model", headers=headers)))


class CatalogueTest(unittest.TestCase):
    def setUp(self):
        urlopen(f"{URL}/control/reset", b"").close()

    def test_publication_is_seen(self):
        urlopen(f"{URL}/control/model-groups/{GROUP}/publish", b'{"dockerImage": "registry.example/model:2.0.0"}').close()
        self.assertEqual(latest(GROUP)["dockerImage"], "registry.example/model:2.0.0")

    def test_the_next_test_begins_anew(self):
        self.assertEqual(latest(GROUP)["revision"], 3)

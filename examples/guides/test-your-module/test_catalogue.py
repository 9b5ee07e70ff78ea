import json
import os
import subprocess
import unittest
import urllib.parse
import urllib.request

GROUP = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"


def latest(group):  # in place of the program under test
    url, environ = os.environ["MODELCATALOGUE_BASE_URL"] + "/v1", os.environ
    form = {"grant_type": "client_credentials", "client_id": environ["MODELCATALOGUE_CLIENT_ID"],
            "client_secret": environ["MODELCATALOGUE_CLIENT_SECRET"]}
    token = json.load(urllib.request.urlopen(url + "/auth/token", urllib.parse.urlencode(form).encode()))["access_token"]
    headers = {"Authorization": "Bearer " + token}
    return json.load(urllib.request.urlopen(urllib.request.Request(f"{url}/model-group/{group}/latest-model", headers=headers)))


class CatalogueTest(unittest.TestCase):
    def setUp(self):
        subprocess.check_call(["modelcatalogue-sandbox", "reset"])

    def test_publication_is_seen(self):
        subprocess.check_call(["modelcatalogue-sandbox", "publish", GROUP], stdout=subprocess.DEVNULL)
        self.assertEqual(latest(GROUP)["revision"], 4)

    def test_the_next_test_begins_anew(self):
        self.assertEqual(latest(GROUP)["revision"], 3)

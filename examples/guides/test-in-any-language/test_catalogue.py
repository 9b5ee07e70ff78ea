import json
import pathlib
import subprocess
import unittest
import urllib.parse
import urllib.request

ready = pathlib.Path("sandbox.json")
sandbox = subprocess.Popen(["modelcatalogue-sandbox", "-listen=127.0.0.1:0", f"-ready-file={ready}"], stdout=subprocess.DEVNULL)
subprocess.run(["modelcatalogue-sandbox", "wait", f"-ready-file={ready}"], check=True)
service = json.loads(ready.read_text())


def send(path, data=None, method=None, **header):
    request = urllib.request.Request(service["url"] + path, data=data, headers=header, method=method)
    return urllib.request.urlopen(request).read()


def tearDownModule():
    sandbox.terminate()
    sandbox.wait()


class CatalogueTest(unittest.TestCase):
    def setUp(self):
        send("/control/reset", method="POST")

    def token(self):
        credentials = {"client_id": service["clientId"], "client_secret": service["clientSecret"]}
        form = urllib.parse.urlencode({"grant_type": "client_credentials", **credentials})
        return json.loads(send("/v1/auth/token", form.encode()))["access_token"]

    def latest(self, group):
        return json.loads(send(f"/v1/model-group/{group}/latest-model", Authorization="Bearer " + self.token()))["revision"]

    def test_publication_is_seen(self):
        group = "7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"
        send(f"/control/model-groups/{group}/publish", method="POST")
        self.assertEqual(self.latest(group), 4)

    def test_the_next_test_begins_anew(self):
        self.assertEqual(self.latest("7d0c1a52-4b8e-4f0e-9a43-2f6f5f1f8a01"), 3)

// apply.mjs RENOVATE REPORT makes Renovate's own code write the updates that a
// report of a local run holds into the files here, as its pull requests would:
// `--platform=local` only looks updates up.
import { readFileSync, writeFileSync } from "node:fs";

const [renovate, report] = process.argv.slice(2);
const { doAutoReplace } = await import(`${renovate}/dist/workers/repository/update/branch/auto-replace.js`);
const { GlobalConfig } = await import(`${renovate}/dist/config/global.js`);
GlobalConfig.set({ localDir: process.cwd() });

for (const file of JSON.parse(readFileSync(report)).repositories.local.packageFiles.regex) {
  let text = readFileSync(file.packageFile, "utf8");
  for (const [depIndex, dep] of file.deps.entries()) {
    for (const update of dep.updates) {
      text = await doAutoReplace({ ...file, ...dep, ...update, manager: "regex", depIndex, baseDeps: file.deps }, text, false);
      if (text === null) {
        throw new Error(`Renovate cannot write ${update.updateType} of ${dep.depName}`);
      }
    }
  }
  writeFileSync(file.packageFile, text);
}

// apply.mjs RENOVATE REPORT writes the updates in the report of a local run into the files here, by Renovate's code
// for pull requests: `--platform=local` only looks updates up. It fails if an update would stay pending for ever,
// because Renovate requires its date, and has none.
import { readFileSync, writeFileSync } from "node:fs";

const [renovate, report] = process.argv.slice(2);
const { doAutoReplace } = await import(`${renovate}/dist/workers/repository/update/branch/auto-replace.js`);
const { GlobalConfig } = await import(`${renovate}/dist/config/global.js`);
const { getConfig } = await import(`${renovate}/dist/config/defaults.js`);
const { applyPackageRules } = await import(`${renovate}/dist/util/package-rules/index.js`);
const { checkMinimumReleaseAge } = await import(`${renovate}/dist/util/minimum-release-age.js`);
GlobalConfig.set({ localDir: process.cwd() });
const { packageRules } = JSON.parse(readFileSync("renovate.json", "utf8"));

for (const file of JSON.parse(readFileSync(report)).repositories.local.packageFiles.regex) {
  let text = readFileSync(file.packageFile, "utf8");
  for (const [depIndex, dep] of file.deps.entries()) {
    for (const update of dep.updates) {
      const rules = await applyPackageRules({ ...getConfig(), ...dep, ...update, packageRules }, "update-type");
      if (!update.releaseTimestamp && checkMinimumReleaseAge(rules).isPending) {
        throw new Error(`${update.updateType} of ${dep.depName} stays pending`);
      }
      text = await doAutoReplace({ ...file, ...dep, ...update, manager: "regex", depIndex, baseDeps: file.deps }, text, false);
      if (text === null) {
        throw new Error(`Renovate cannot write ${update.updateType} of ${dep.depName}`);
      }
    }
  }
  writeFileSync(file.packageFile, text);
}

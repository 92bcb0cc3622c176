import fs from "node:fs";
import { type Lock, refusedLicences } from "./licence-rules.ts";

const lock = JSON.parse(fs.readFileSync("package-lock.json", "utf8")) as Lock;
const refused = refusedLicences(lock);
for (const one of refused) process.stderr.write(`${one}\n`);
if (refused.length > 0) process.exit(1);
process.stdout.write(
  `${Object.keys(lock.packages).length - 1} packages, all under licences that go with AGPL-3.0\n`,
);

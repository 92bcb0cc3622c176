// Last step of `npm test`: each test named in docs/conformance ran and passed. Argument: the folder with both
// reports.
import path from "node:path";
import { proofFaults, readResults } from "./conformance-results.ts";
import { allRows } from "./conformance-table.ts";

const [folder = ""] = process.argv.slice(2);
const rows = allRows();
const faults = proofFaults(rows, readResults(folder, path.join(import.meta.dirname, "..")));
for (const fault of faults) process.stderr.write(`${fault}\n`);
const proofs = new Set(rows.flatMap((row) => row.proofs.map(({ file, name }) => `${file} › ${name}`)));
process.stdout.write(
  faults.length > 0
    ? `${faults.length} proofs are missing.\n`
    : `${rows.filter((row) => row.proofs.length > 0).length} statements of docs/spec, proved by ${proofs.size} tests of this run.\n`,
);
process.exitCode = faults.length > 0 ? 1 : 0;

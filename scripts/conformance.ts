// Prints each statement of docs/spec and each case of bad input with the tests that prove it. A test names them in its
// title: `… @spec 5.3,5.7 @decision 9`, or a case id such as `C07`.
import fs from "node:fs";
import path from "node:path";

export type Statement = { number: string; heading: string; text: string };

const HEADING = /^#+ (.+)$/;
const DIVIDER = /^\|(?:\s*:?-+:?\s*\|)+$/;
const TITLE = /^\s*(?:test|it)\b.*?(["`])((?:\\.|(?!\1).)+)\1|^\s+(["`])((?:\\.|(?!\3).)+)\3,$/;
const CASE = /\b[A-Z]{1,3}\d{2}\b(?:–[A-Z]{1,3}\d{2}\b)?/g;

/** Bullets, paragraphs and table rows, numbered within their chapter: the third of chapter 5 is `5.3`. */
export function statementsOf(markdown: string): Statement[] {
  const statements: Statement[] = [];
  const lines = markdown.split("\n");
  let [chapter, heading, place] = ["0", "", 0];
  for (const [at, line] of lines.entries()) {
    const title = HEADING.exec(line)?.[1];
    const isTableHead = DIVIDER.test(line) || DIVIDER.test(lines[at + 1] ?? "");
    if (title !== undefined) {
      const begun = /^(\d+)\. /.exec(title)?.[1];
      if (begun !== undefined) [chapter, place] = [begun, 0];
      heading = title;
    } else if (line.trim() !== "" && !isTableHead) {
      const text = line.startsWith("|") ? line.slice(1, -1) : line.replace(/^(?:- |\d+\. )/, "");
      statements.push({ number: `${chapter}.${++place}`, heading, text: text.trim() });
    }
  }
  return statements;
}

/** The numbers behind a mark in a test's title, such as `@spec 5.3,5.7`. */
export function marksOf(title: string, mark: "spec" | "decision"): string[] {
  return new RegExp(`@${mark} ([\\d.,]+)`).exec(title)?.[1]?.split(",") ?? [];
}

export function titlesOf(source: string): string[] {
  return source.split("\n").flatMap((line) => {
    const [, , plain, , apart] = TITLE.exec(line) ?? [];
    return plain ?? apart ?? [];
  });
}

type Proof = { file: string; title: string };

function readProofs(root: string): Proof[] {
  const files = ["src", "simulators", "tests"].flatMap((folder) =>
    fs
      .readdirSync(path.join(root, folder), { recursive: true, encoding: "utf8" })
      .map((file) => `${folder}/${file}`),
  );
  return files
    .filter((file) => /\.(test|spec)\.tsx?$/.test(file))
    .toSorted()
    .flatMap((file) =>
      titlesOf(fs.readFileSync(path.join(root, file), "utf8")).map((title) => ({ file, title })),
    );
}

const listed = (proofs: Proof[]) =>
  proofs.length === 0
    ? "  - **no test names it**\n"
    : proofs.map(({ file, title }) => `  - ${file} › ${title.replace(/( @\w+ [\d.,]+)+$/, "")}\n`).join("");

function page(root: string): string {
  const read = (file: string) => fs.readFileSync(path.join(root, "docs/spec", file), "utf8");
  const proofs = readProofs(root);
  const proving = (mark: "spec" | "decision", number: string) =>
    proofs.filter(({ title }) => marksOf(title, mark).includes(number));
  const statements = statementsOf(read("product-spec.md")).map(
    ({ number, text }) => `- ${number} ${text}\n${listed(proving("spec", number))}`,
  );
  const decisions = Array.from(
    read("decisions.md").matchAll(/^\| (\d+) \|/gm),
    ([, number = ""]) => `- Decision ${number}\n${listed(proving("decision", number))}`,
  );
  const cases = Map.groupBy(
    proofs.flatMap((proof) => Array.from(proof.title.matchAll(CASE), ([id]) => ({ id, proof }))),
    ({ id }) => id,
  );
  const badInput = [...cases]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([id, found]) => `- ${id}\n${listed(found.map(({ proof }) => proof))}`);
  return [
    `# Statements of the specification\n\n${statements.join("")}`,
    `# Decisions\n\n${decisions.join("")}`,
    `# Cases\n\n${badInput.join("")}`,
  ].join("\n");
}

if (import.meta.main) process.stdout.write(page(path.join(import.meta.dirname, "..")));

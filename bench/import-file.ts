import { once } from "node:events";
import fs from "node:fs";
import { sheetXml, workbookParts, zip } from "../tests/support/xlsx.ts";

const FIRST = ["Ana", "João", "Maria", "José", "Antônio", "Luíza", "Paulo", "Célia", "Márcio", "Inês"];
const LAST = ["Silva", "Souza", "Gonçalves", "de Araújo", "Conceição", "Pereira", "Lima", "Assunção"];
const AREAS = [11, 21, 31, 41, 51, 61, 71, 81, 85, 91, 19, 27, 47, 62, 98];

export const FIELDS = ["plano", "cidade", "valor", "retorno", "socio"] as const;
const PLANS = ["Ouro", "Prata", "Bronze"];

type Contents = {
  /** With five columns more. */
  fields?: boolean;
  /** The first person, so that two files share people. */
  from?: number;
};

/**
 * The same list every time: phones as people paste them (mask, +55, bare, trunk zero), 1 in 20 names quoted,
 * 2 % wrong phones, 5 % repeats.
 */
export async function writeContactFile(
  file: string,
  rows: number,
  { fields = false, from = 0 }: Contents = {},
): Promise<void> {
  let seed = 42;
  const random = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  const out = fs.createWriteStream(file);
  let text = fields ? `nome,telefone,${FIELDS.join(",")}\n` : "nome,telefone\n";
  for (let i = from; i < from + rows; i++) {
    const name = `${FIRST[i % 10]} ${LAST[(i * 7) % 8]} ${i}`;
    const person = random() < 0.05 ? from + Math.floor(random() * (i - from)) : i;
    const shape = random();
    text += `${i % 20 === 0 ? `"${LAST[i % 8]}, ${name}"` : name},${phoneOf(person, shape, i)}`;
    text += fields ? `,${valuesOf(i, from)}\n` : "\n";
    if (text.length > 65_536) {
      if (!out.write(text)) await once(out, "drain");
      text = "";
    }
  }
  out.end(text);
  await once(out, "close");
}

/** With shared texts, as Excel writes them. */
export function writeWorkbook(file: string, rows: number): void {
  const texts = new Map<string, number>();
  const text = (value: string) => {
    const at = texts.get(value) ?? texts.size;
    texts.set(value, at);
    return { xml: `<c t="s"><v>${at}</v></c>` };
  };
  const table = [["nome", "telefone", ...FIELDS].map(text)];
  for (let i = 0; i < rows; i++) {
    const name = `${FIRST[i % 10]} ${LAST[(i * 7) % 8]} ${i}`;
    table.push([name, phoneOf(i, 0.5, i), ...valuesOf(i, 0).split(",")].map(text));
  }
  const shared = [...texts.keys()].map((value) => `<si><t>${value}</t></si>`).join("");
  const more = { "xl/sharedStrings.xml": `<sst>${shared}</sst>` };
  fs.writeFileSync(file, zip(workbookParts({ sheets: { Contatos: sheetXml(table) }, more })));
}

/** Other values in each file, so that known people change. */
function valuesOf(i: number, from: number): string {
  const day = String(1 + (i % 28)).padStart(2, "0");
  const plan = PLANS[(i + from) % 3] ?? "";
  return `${plan},Cidade ${i % 500},${(i % 10_000) + from},${day}/0${1 + (i % 9)}/2026,${i % 2 === 0 ? "sim" : "não"}`;
}

const WRONG = ["123", "sem telefone", "", "+1 202 555 0100"];

function phoneOf(person: number, shape: number, row: number): string {
  const area = AREAS[person % 15];
  const digits = String(30_000_000 + ((Math.imul(person, 7_919) >>> 0) % 69_999_999));
  const [a, b] = [digits.slice(0, 4), digits.slice(4)];
  if (shape < 0.02) return WRONG[row & 3] ?? "";
  if (shape < 0.35) return `(${area}) 9${a}-${b}`;
  if (shape < 0.6) return `+55 ${area} 9${a}-${b}`;
  if (shape < 0.85) return `55${area}9${digits}`;
  return shape < 0.95 ? `${area}9${digits}` : `0${area} 9${digits}`;
}

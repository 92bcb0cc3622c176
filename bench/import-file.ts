import { once } from "node:events";
import fs from "node:fs";

const FIRST = ["Ana", "João", "Maria", "José", "Antônio", "Luíza", "Paulo", "Célia", "Márcio", "Inês"];
const LAST = ["Silva", "Souza", "Gonçalves", "de Araújo", "Conceição", "Pereira", "Lima", "Assunção"];
const AREAS = [11, 21, 31, 41, 51, 61, 71, 81, 85, 91, 19, 27, 47, 62, 98];

/**
 * The same list every time: phones as people paste them (mask, +55, bare, trunk zero), 1 in 20 names quoted,
 * 2 % wrong phones, 5 % repeats.
 */
export async function writeContactFile(file: string, rows: number): Promise<void> {
  let seed = 42;
  const random = () => {
    seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
    return seed / 2 ** 32;
  };
  const out = fs.createWriteStream(file);
  let text = "nome,telefone\n";
  for (let i = 0; i < rows; i++) {
    const name = `${FIRST[i % 10]} ${LAST[(i * 7) % 8]} ${i}`;
    const person = random() < 0.05 ? Math.floor(random() * i) : i;
    const shape = random();
    text += `${i % 20 === 0 ? `"${LAST[i % 8]}, ${name}"` : name},${phoneOf(person, shape, i)}\n`;
    if (text.length > 65_536) {
      if (!out.write(text)) await once(out, "drain");
      text = "";
    }
  }
  out.end(text);
  await once(out, "close");
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

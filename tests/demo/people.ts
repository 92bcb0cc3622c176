export type DemoPerson = { name: string; phone: string };

const FIRST =
  "Ana Beatriz|José Carlos|Conceição|João Pedro|Márcia|Antônio|Júlia|Luís Fernando|Patrícia|Sebastião|Letícia|Rogério|Mônica|Thiago|Vitória|Fábio|Cláudia|Cauã|Tânia|Otávio|Inês|Gustavo|Helena|Flávio|Sônia|Caio|Lúcia|André|Débora|Zélia|Emílio|Íris|Renato|Eloá|Murilo|Rosângela|Bento";
const LAST =
  "Araújo|da Conceição|Nogueira|Sampaio|Gonçalves|de Assis|Brandão|Magalhães|Simões|Falcão|Guimarães|Leão|Quintão|Bragança|Mourão|Peçanha|Rabêlo|Salomão|Teixeira|Vilaça|Assunção|Damião|Fagundes|Junqueira|Lustosa|Queirós|Siqueira|Valadão|Zanetti";
const DDDS = [31, 31, 31, 31, 11, 21, 37, 85];

const firsts = FIRST.split("|");
const lasts = LAST.split("|");

/**
 * The same people at every start, with unique names and numbers that start with 90, which no operator uses.
 * `from` makes lists of different people.
 */
export function demoPeople(from: number, count: number): DemoPerson[] {
  return Array.from({ length: count }, (_, i) => {
    const at = from + i;
    const first = firsts[at % firsts.length];
    const last = lasts[(at * 5 + Math.floor(at / firsts.length)) % lasts.length];
    return {
      name: `${first} ${last}`,
      phone: `55${DDDS[at % DDDS.length]}90${String((2_341_187 + at * 6_180_339) % 10_000_000).padStart(7, "0")}`,
    };
  });
}

export function writtenPhone(phone: string): string {
  return `${phone.slice(2, 4)} ${phone.slice(4, 9)}-${phone.slice(9)}`;
}

export const calledBy = (name: string): string => name.split(" ")[0] ?? name;

import { NAME_LIMIT } from "./contact-name.ts";
import { AppError } from "./errors.ts";
import { greetingName } from "./greeting-name.ts";

const PHONE = new Set(
  "telefone telefones telefonico fone fones celular celulares cel tel whatsapp whats zap wpp phone phones mobile cellphone".split(
    " ",
  ),
);
// Words allowed beside them. Any other word makes it a data cell: «sem telefone» is no header.
const BESIDE = new Set(
  (
    "n no num numero number de do da com o e app ddd contato cliente principal comercial residencial pessoal value main home work " +
    "fixo outro direto alternativo secundario trabalho casa primary secondary business other"
  ).split(" "),
);
// Whole cells only: «Cliente 1» is a person in a file without header.
const NAME =
  /^(nome|name|nomecompleto|nome(do|da)?(cliente|contato|pessoa)|fullname|firstname|primeironome|displayname|cliente|contato|contact|pessoa|razaosocial)$/;
const PERSON = new Set(
  (
    "aluno aluna paciente comprador compradora associado associada assinante hospede morador moradora participante inscrito inscrita " +
    "destinatario titular candidato candidata membro customer buyer student patient member"
  ).split(" "),
);
const BESIDE_NAME = new Set(
  "o a do da de cliente contato pessoa completo contact full saved public billing".split(" "),
);
const FIRST_NAME = /^(firstname|givenname|primeironome)$/;
const MORE_NAMES = [
  /^(middlename|additionalname|segundonome|nomemeio)$/,
  /^(lastname|surname|familyname|sobrenomes?|ultimonome|nomefamilia)$/,
];
const WHOLE_NAME = /^(nomecompleto|fullname|displayname|razaosocial)$/;
// Text that is no person's name: {nome} would greet people as «Betim» or «Ativo».
const NEVER_NAME =
  /\b(e?mail|cidade|municipio|city|bairro|endereco|address|rua|logradouro|complemento|uf|estado|state|pais|country|status|situacao|produto|product|curso|plano|tags?|etiquetas?|labels?|rotulo|marcadores|grupo|group|origem|source|canal|obs|observacao|observacoes|notas?|notes?|cargo|tipo|type|profissao|sexo|genero|data|date|pagamento)\b/;

// Beside a phone column it may count houses, orders or customers.
const BARE_NUMBER = /^(n|no|num|numero|number)( \d+)?$/;

// Many a CPF can be read as a stranger's phone number.
const NEVER_PHONE =
  /\b(cpf|cnpj|rg|cep|id|cod|codigo|matricula|inscricao|pedido|protocolo|nascimento|data|valor|preco|total)\b/;

/** `Nº de Telefone (1)` → `no de telefone 1`; case, accents and signs are ignored. */
function headerWords(cell: string): string {
  return cell
    .slice(0, 100)
    .normalize("NFKD")
    .replace(/\p{M}/gu, "")
    .replace(/([a-z])([A-Z])/g, "$1 $2")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, " ")
    .trim();
}

export function isPhoneHeader(cell: string): boolean {
  const text = headerWords(cell);
  if (BARE_NUMBER.test(text)) return text !== "n" && text !== "no";
  const words = text.split(" ");
  return (
    words.some((word) => PHONE.has(word)) &&
    words.every((word) => PHONE.has(word) || BESIDE.has(word) || /^\d+$/.test(word))
  );
}

const CODE = "(?:codigo|cod|code|prefixo|prefix|discagem|dialing|calling)";
const AREA_CODE = new RegExp(
  `^ddd\\b|\\b${CODE}\\b.*\\b(?:area|ddd|regional)\\b|\\barea ${CODE}\\b|^prefixo$`,
);
const COUNTRY = "(?:pais|country|ddi|internacional|international)";
const COUNTRY_CODE = new RegExp(`^ddi\\b|\\b${CODE}\\b.*\\b${COUNTRY}\\b|\\b${COUNTRY}\\b.*\\b${CODE}\\b`);

export const isAreaCodeHeader = (cell: string) => AREA_CODE.test(headerWords(cell));

export const isCountryCodeHeader = (cell: string) => COUNTRY_CODE.test(headerWords(cell));

/** Digits that are no phone; skipped when the phone column is guessed. */
export function isOtherNumberHeader(cell: string): boolean {
  const text = headerWords(cell);
  return NEVER_PHONE.test(text) && !text.split(" ").some((word) => PHONE.has(word));
}

export function isNameHeader(cell: string): boolean {
  const words = headerWords(cell).split(" ");
  if (NAME.test(words.join("")) || FIRST_NAME.test(namePart(cell))) return true;
  const isName = (word: string) => word === "nome" || word === "name";
  return (
    words.some((word) => isName(word) || PERSON.has(word)) &&
    words.every((word) => isName(word) || PERSON.has(word) || BESIDE_NAME.has(word))
  );
}

/** `Billing Last Name` → `lastname`, `Nome do meio` → `nomemeio`. */
const namePart = (cell: string) =>
  headerWords(cell)
    .split(" ")
    .filter((word) => !BESIDE_NAME.has(word) && !PERSON.has(word))
    .join("");

/**
 * Columns that continue a name: «Nome;Sobrenome». None for a whole name, such as `Name` beside `Given Name`.
 */
export function furtherNames(cells: readonly string[], name: number): number[] {
  if (cells.length < 3 || name === -1 || WHOLE_NAME.test(headerWords(cells[name] ?? "").replaceAll(" ", "")))
    return [];
  const parts = cells.map(namePart);
  const first = parts.findIndex((part) => FIRST_NAME.test(part));
  if (first !== -1 && first !== name) return [];
  return MORE_NAMES.map((more) => parts.findIndex((part) => more.test(part))).filter((at) => at !== -1);
}

/** A part that the name already ends with is not repeated; dashes and «NULL» are ignored. */
export function joinedName(first: string, further: readonly string[]): string {
  return further.reduce((name, part) => {
    const more = part.trim();
    if (greetingName(more) === "") return name;
    const has = ` ${name}`.toLowerCase().endsWith(` ${more}`.toLowerCase());
    const joined = greetingName(name) === "" ? more : `${name} ${more}`;
    return has || joined.length > NAME_LIMIT ? name : joined;
  }, first);
}

/** Text that is no name; skipped when the name column is guessed. */
export function isOtherTextHeader(cell: string): boolean {
  return NEVER_NAME.test(headerWords(cell));
}

/** In order of trust: WhatsApp, mobile, others, unspecified numbers. */
export function phoneColumns(cells: readonly string[]): number[] {
  const words = cells.map(headerWords);
  const named = cells.flatMap((cell, at) => (isPhoneHeader(cell) ? [at] : []));
  const isBare = (at: number) => BARE_NUMBER.test(words[at] ?? "");
  const trust = (at: number) => {
    const word = words[at] ?? "";
    return /whats|zap|wpp/.test(word) ? 0 : /\bcel|mobile/.test(word) ? 1 : isBare(at) ? 3 : 2;
  };
  const isAlone = (at: number) => words.indexOf(words[at] ?? "") === words.lastIndexOf(words[at] ?? "");
  // Two unspecified numbers are not ambiguous where a phone exists.
  const usable = named.every(isBare) ? named : named.filter((at) => !isBare(at) || isAlone(at));
  return usable.sort((a, b) => trust(a) - trust(b) || a - b);
}

/** `name` is -1 and `phones` empty if missing. Throws `import_duplicate_header` if one occurs twice. */
export function namedColumns(cells: readonly string[]): { name: number; phones: number[] } {
  const words = cells.map(headerWords);
  const phones = phoneColumns(cells);
  const contact = words.findIndex((word) => word === "contato" || word === "contact");
  const named = cells.findIndex((cell, at) => at !== contact && isNameHeader(cell));
  // «Nome;Contato»: without another phone column the contact is the phone.
  if (named !== -1 && contact !== -1 && phones.length === 0) phones.push(contact);
  const name = named === -1 && !phones.includes(contact) ? contact : named;
  for (const at of [...phones, name]) {
    if (at === -1 || words.indexOf(words[at] ?? "") === words.lastIndexOf(words[at] ?? "")) continue;
    throw new AppError("import_duplicate_header", { column: (cells[at] ?? "").trim().slice(0, 100) });
  }
  return { name, phones };
}

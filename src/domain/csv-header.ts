import { NAME_LIMIT } from "./contact-name.ts";
import { greetingName } from "./greeting-name.ts";

const PHONE = new Set(
  (
    "telefone telefones telefonico fone fones celular celulares cel tel whatsapp whats zap wpp phone phones mobile cellphone " +
    "jid remotejid waid msisdn"
  ).split(" "),
);
// Words allowed beside them. Any other word makes it a data cell: «sem telefone» is no header.
const BESIDE = new Set(
  (
    "n no num numero number de do da com o e app ddd contato cliente principal comercial residencial pessoal value main home work " +
    "fixo outro direto alternativo secundario trabalho casa primary secondary business other movel preferencial cadastrado " +
    "contact link url remote wa default address endereco billing shipping cobranca entrega customer lead ou and or"
  ).split(" "),
);
// A form's question: «Qual o seu WhatsApp?».
const ASKING = new Set(
  (
    "qual quais e o a os as seu sua seus com para por favor informe digite escreva insira coloque deixe preencha melhor aqui " +
    "your what whats is please enter the best me us"
  ).split(" "),
);
// Whole cells only: «Cliente 1» is a person in a file without header.
const NAME =
  /^(nome|name|nomecompleto|nome(do|da)?(cliente|contato|pessoa)|fullname|firstname|primeironome|displayname|pushname|notify|verifiedname|formattedname|cliente|contato|contact|pessoa)$/;
const PERSON = new Set(
  (
    "aluno aluna paciente comprador compradora associado associada assinante hospede morador moradora participante inscrito inscrita " +
    "destinatario titular candidato candidata membro locatario locataria inquilino inquilina condomino segurado segurada socio socia " +
    "doador doadora beneficiario beneficiaria usuario usuaria convidado convidada customer buyer student patient member"
  ).split(" "),
);
// Beside a pet, a car or a pupil: the person whose phone it is.
const OWNER = new Set(
  "tutor tutora proprietario proprietaria dono dona responsavel responsaveis owner guardian".split(" "),
);
const COMPANY =
  /^(razaosocial|nomefantasia|fantasia|empresa|nome(da)?empresa|companyname|company|organizacao)$/;
const BESIDE_NAME = new Set(
  "o a do da de cliente contato pessoa completo contact full saved public billing push notify verified".split(
    " ",
  ),
);
const FIRST_NAME = /^(firstname|givenname|primeironome)$/;
const MORE_NAMES = [
  /^(middlename|additionalname|segundonome|nomemeio)$/,
  /^(lastname|surname|familyname|sobrenomes?|ultimonome|nomefamilia)$/,
];
const WHOLE_NAME = /^(nomecompleto|fullname|displayname|razaosocial)$/;
// Text that is no person's name: {nome} would greet people as «Betim» or «Ativo».
const NEVER_NAME =
  /\b(e?mail|cidade|municipio|city|bairro|endereco|address|rua|logradouro|complemento|uf|estado|state|pais|country|status|situacao|produto|product|curso|plano|tags?|etiquetas?|labels?|rotulo|marcadores|grupo|group|origem|source|canal|obs|observacao|observacoes|notas?|notes?|cargo|tipo|type|profissao|sexo|genero|data|date|pagamento|pet|pets|animal|especie|raca|placa|veiculo|carro|moto|modelo|marca|chassi|imovel|turma|escola|carimbo|timestamp|hora|horario|created|updated|submitted|enviado|respondido|id|uuid|codigo|cod|token|hash|platform|plataforma|form|formulario|campaign|campanha|anuncio|adset|link|url|site|website|instagram|facebook)\b/;

// Beside a phone column it may count houses, orders or customers.
const BARE_NUMBER = /^(n|no|num|numero|number)( \d+)?$/;

// Many a CPF can be read as a stranger's phone number.
const NEVER_PHONE =
  /\b(cpf|cnpj|rg|cep|id|cod|codigo|matricula|inscricao|pedido|protocolo|nascimento|data|valor|preco|total)\b/;

const HEADER_CHARS = 100;

/** `Nº de Telefone (1)` → `no de telefone 1`; case, accents and signs are ignored. */
function headerWords(cell: string): string {
  return cell
    .slice(0, HEADER_CHARS)
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
  if (WHATSAPP_ID.test(text)) return true;
  return (
    isPhoneText(text) || isPhoneText(headerWords(cell.slice(0, HEADER_CHARS).replace(/\([^()]*\)/g, " ")))
  );
}

const WHATSAPP_ID = /^(?:wa|whatsapp|chat) id$/;

function isPhoneText(text: string): boolean {
  const words = text.split(" ");
  return (
    words.some((word) => PHONE.has(word)) &&
    words.every((word) => PHONE.has(word) || BESIDE.has(word) || ASKING.has(word) || /^\d+$/.test(word))
  );
}

export function isPhoneLabelHeader(cell: string): boolean {
  const words = headerWords(cell).split(" ");
  return (
    words.some((word) => KINDS.has(word)) &&
    words.every((word) => KINDS.has(word) || PHONE.has(word) || BESIDE.has(word) || /^\d+$/.test(word))
  );
}

const KINDS = new Set("tipo type label rotulo etiqueta kind".split(" "));
const TAGS: Record<string, string> = {
  cel: "mobile",
  celular: "mobile",
  mobile: "mobile",
  movel: "mobile",
  fixo: "landline",
  residencial: "home",
  home: "home",
  casa: "home",
  comercial: "work",
  trabalho: "work",
  work: "work",
  whatsapp: "whatsapp",
  whats: "whatsapp",
};

export function phoneTags(cell: string): readonly string[] {
  return headerWords(cell)
    .split(" ")
    .flatMap((word) => (/^\d+$/.test(word) ? [word] : (TAGS[word] ?? [])));
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

/** Order of trust among name columns; 0: none. A pet's owner comes before a plain name, a company last. */
export function nameTrust(cell: string): number {
  const words = headerWords(cell).split(" ");
  const joined = words.join("");
  if (COMPANY.test(joined)) return 1;
  if (NAME.test(joined) || FIRST_NAME.test(namePart(cell)) || ASKED_NAME.test(joined)) return 3;
  const isName = (word: string) => word === "nome" || word === "name";
  const isPerson = (word: string) => PERSON.has(word) || OWNER.has(word);
  const fits = words.every(
    (word) =>
      isName(word) || isPerson(word) || BESIDE_NAME.has(word) || (words.some(isName) && ASKING.has(word)),
  );
  if (!fits || !words.some((word) => isName(word) || isPerson(word))) return 0;
  if (words.some((word) => OWNER.has(word))) return words.some(isName) ? 4 : 2;
  return 3;
}

const ASKED_NAME = /^como(voce|vc)?(se|quer|gostaria)(de)?(ser)?cham(a|ado|ada)$/;

export const isNameHeader = (cell: string) => nameTrust(cell) > 0;

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

/** In order of trust: WhatsApp, mobile, others, those of an address, unspecified numbers. */
export function phoneColumns(cells: readonly string[]): number[] {
  const words = cells.map(headerWords);
  const named = cells.flatMap((cell, at) => (isPhoneHeader(cell) ? [at] : []));
  const isBare = (at: number) => BARE_NUMBER.test(words[at] ?? "");
  const trust = (at: number) => {
    const word = words[at] ?? "";
    if (WHATSAPP.test(word)) return 0;
    if (/\bcel|mobile|movel/.test(word)) return 1;
    if (isBare(at)) return 4;
    return /address|endereco|billing|shipping|cobranca|entrega|business|outro|other/.test(word) ? 3 : 2;
  };
  const isAlone = (at: number) => words.indexOf(words[at] ?? "") === words.lastIndexOf(words[at] ?? "");
  // Two unspecified numbers are not ambiguous where a phone exists.
  const usable = named.every(isBare) ? named : named.filter((at) => !isBare(at) || isAlone(at));
  return usable.sort((a, b) => trust(a) - trust(b) || a - b);
}

const WHATSAPP = /whats|zap|wpp|jid|waid|^(?:wa|chat) id$/;

export const isWhatsappHeader = (cell: string) => WHATSAPP.test(headerWords(cell));

/** `name` is -1 and `phones` empty if missing; `duplicate` is a header that two columns share. */
export function namedColumns(cells: readonly string[]): {
  name: number;
  phones: number[];
  duplicate: string | null;
} {
  const words = cells.map(headerWords);
  const phones = phoneColumns(cells);
  const contact = words.findIndex((word) => word === "contato" || word === "contact");
  const named = bestName(cells, words, contact);
  // «Nome;Contato»: without another phone column the contact is the phone.
  if (named !== -1 && contact !== -1 && phones.length === 0) phones.push(contact);
  const isPerson = contact !== -1 && !phones.includes(contact) && (named === -1 || hasCompany(cells, named));
  const name = isPerson ? contact : named;
  const twice = [...phones, name].find(
    (at) => at !== -1 && words.indexOf(words[at] ?? "") !== words.lastIndexOf(words[at] ?? ""),
  );
  return { name, phones, duplicate: twice === undefined ? null : (cells[twice] ?? "").trim().slice(0, 100) };
}

export const sameHeader = (a: string, b: string) => headerWords(a) === headerWords(b);

export function isNamePart(cell: string): boolean {
  const part = namePart(cell);
  return FIRST_NAME.test(part) || MORE_NAMES.some((more) => more.test(part));
}

function bestName(cells: readonly string[], words: readonly string[], contact: number): number {
  const trusts = cells.map((cell, at) => (at === contact ? 0 : nameTrust(cell)));
  const better = trusts.map((trust, at) => trust + (/fantasia/.test(words[at] ?? "") ? 0.5 : 0));
  const most = Math.max(0, ...better);
  return most === 0 ? -1 : better.indexOf(most);
}

/** Among companies the contact is the person: «Razão Social;Contato», «Nome;CNPJ;Contato». */
function hasCompany(cells: readonly string[], named: number): boolean {
  return (
    nameTrust(cells[named] ?? "") === 1 || cells.some((cell) => /^cnpj(?!.*cpf)/.test(headerWords(cell)))
  );
}

const list = (words: string) => new Set(words.split(" "));

const FILLERS = list("do da de dos das o a e seu sua the of your my meu minha");
/** Words for the sender's own name. */
const SENDERS = list("seu sua your my meu minha");
const PEOPLE = list(
  "cliente contato lead usuario aluno paciente destinatario customer client contact user recipient student patient person pessoa",
);
const NAMES = list("nome name nomecompleto fullname pushname nomecliente nomecontato customername");
const FIRST_NAMES = list("primeironome firstname fname givenname");
const LAST_NAMES = list("sobrenome lastname lname surname familyname ultimonome");
const WHOLE = list("completo full complete");
const FIRST = list("primeiro first given");
const OTHERS = list(
  `last saudacao greeting cumprimento empresa company loja unidade telefone phone celular mobile numero
  email cidade city bairro endereco address estado cpf cnpj data date hora horario time dia mes valor value amount preco price
  produto product servico pedido order codigo protocolo vencimento duedate medico doctor idade aniversario birthday cargo
  variavel variable campo field atendente vendedor tratamento titulo`.replaceAll(/\s+/g, " "),
);

const words = (key: string): string[] =>
  key
    .replace(/(\p{Ll})(\p{Lu})/gu, "$1 $2")
    .normalize("NFD")
    .replace(/\p{M}/gu, "")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((word) => word !== "");

/** Null: no equivalent here; undefined: unknown field. */
export function fieldOf(key: string): "{nome}" | "{primeiro_nome}" | "{sobrenome}" | null | undefined {
  const all = words(key).map((word) => word.replace(/\d+$/, "") || word);
  const named = all.filter((word) => !FILLERS.has(word));
  const joined = named.join("");
  if (named.length === 0) return undefined;
  if (all.some((word) => SENDERS.has(word))) return named.every(isField) ? null : undefined;
  if (FIRST_NAMES.has(joined)) return "{primeiro_nome}";
  if (LAST_NAMES.has(joined)) return "{sobrenome}";
  if (NAMES.has(joined) || PEOPLE.has(joined)) return "{nome}";
  if (!named.every(isField)) return undefined;
  const own = named.filter((word) => !PEOPLE.has(word));
  if (LAST_NAMES.has(own.join(""))) return "{sobrenome}";
  const first = own.filter((word) => !FIRST.has(word));
  if (own.every((word) => FIRST_NAMES.has(word))) return "{primeiro_nome}";
  if (own.length > first.length) return first.every((word) => NAMES.has(word)) ? "{primeiro_nome}" : null;
  return own.every((word) => NAMES.has(word) || WHOLE.has(word)) ? "{nome}" : null;
}

const KNOWN = [PEOPLE, NAMES, FIRST_NAMES, LAST_NAMES, WHOLE, FIRST, OTHERS];
const isField = (word: string) => KNOWN.some((each) => each.has(word));

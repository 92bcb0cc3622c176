import { sql } from "kysely";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { PASSWORD, signUpForm, testAccounts, visitor } from "../../../tests/support/accounts.ts";
import { testDatabase } from "../../../tests/support/database.ts";
import { removeAccounts } from "../../../tests/support/no-accounts.ts";
import { noEmails } from "../../../tests/support/no-emails.ts";
import { openServices } from "../../../tests/support/open-services.ts";
import { argon2idHasher } from "../accounts/password.ts";
import { outwardAccess } from "../app/outward-access.ts";
import { systemClock } from "../base/clock.ts";
import { releaseImportsOf } from "../contacts/forget.ts";
import { mayUse } from "../db/operator-services.ts";
import { ownerOf } from "../db/owner.ts";
import { type CommandDeps, USAGE } from "./command.ts";
import { parseCommand } from "./commands.ts";

const { db, database } = await testDatabase();
await openServices(db);
const accounts = testAccounts(database);
const form = signUpForm({ name: "Ana", email: "ana@exemplo.com" });

async function run(line: string, typed: string[] = []): Promise<string[]> {
  const printed: string[] = [];
  const deps: CommandDeps = {
    db,
    clock: systemClock,
    hasher: argon2idHasher,
    emails: noEmails,
    suspension: { clock: systemClock, releaseImports: releaseImportsOf, pause: async () => undefined },
    origin: "https://recado.example",
    terms: () => ({ version: "v1", text: "Termos" }),
    outward: outwardAccess,
    status: async () => ["Conexões: nenhuma"],
    assignInstance: async (owner, { gateway, instance }) => `${owner.accountId} ${gateway} ${instance}`,
    print: (text) => void printed.push(text),
    askSecret: async () => typed.shift() ?? "",
  };
  try {
    await parseCommand(line.split(" ").filter((part) => part !== ""))(deps);
  } catch (error) {
    printed.push(`! ${error instanceof Error ? error.message : "?"}`);
  }
  return printed;
}

beforeEach(async () => {
  await removeAccounts(db);
});

test("A18 A20 reset-password takes a typed password, changes it and ends every session", async () => {
  const { setCookie } = await accounts.signUp(form, visitor());
  const typed = ["lagoa azul 77", "lagoa azul 77"];
  expect(await run("reset-password --email ANA@exemplo.com", typed)).toEqual([
    "A senha de ana@exemplo.com foi trocada. Sessões encerradas: 1.",
  ]);
  const headers = new Headers({ cookie: setCookie.split(";")[0] ?? "" });
  expect(await accounts.authenticate({ headers })).toBeNull();
  await accounts.login({ email: form.email, password: "lagoa azul 77" }, visitor());
});

test("reset-password --generate prints a password that works even after too many failed attempts", async () => {
  const browser = visitor();
  await accounts.signUp(form, browser);
  const guess = () => accounts.login({ email: form.email, password: "girassol na sala" }, browser);
  for (let nth = 0; nth < 5; nth++) await expect(guess()).rejects.toMatchObject({ code: "login_failed" });
  await expect(guess()).rejects.toMatchObject({ code: "too_many_requests" });
  const [line] = await run("reset-password --email ana@exemplo.com --generate");
  const generated = line?.replace("Senha nova: ", "") ?? "";
  await accounts.login({ email: form.email, password: generated }, browser);
});

test.each([
  ["short", ["curta", "curta"], "! A senha não foi trocada. Use pelo menos 8 caracteres."],
  [
    "common",
    ["senha123", "senha123"],
    "! A senha não foi trocada. Esta senha é fácil de adivinhar. Escolha outra.",
  ],
  ["mistyped", ["lagoa azul 77", "lagoa azul 78"], "! A senha não foi trocada. As senhas não coincidem."],
])("a %s new password changes nothing", async (_name, typed, words) => {
  await accounts.signUp(form, visitor());
  expect(await run("reset-password --email ana@exemplo.com", [...typed])).toEqual([words]);
  await accounts.login({ email: form.email, password: PASSWORD }, visitor());
});

test("keys are created, shown once, listed without their secret and revoked", async () => {
  await accounts.signUp(form, visitor());
  const [key = "", words] = await run("create-key --email ana@exemplo.com --name Loja --days 30");
  const id = key.split("_")[1];
  expect(words).toMatch(new RegExp(`^Chave ${id} criada, válida até `));
  const bearer = { headers: new Headers({ authorization: `Bearer ${key}` }) };
  expect(await accounts.authenticate(bearer)).not.toBeNull();
  const listed = await run("list --email ana@exemplo.com");
  expect(listed.join("\n")).toMatch(new RegExp(`^${id}  rcd_${id}_.{4}…  Loja  expira em .*\n1 chave$`));
  expect(listed.join("\n")).not.toContain(key);
  expect(await run(`revoke-key --email ana@exemplo.com --id ${id}`)).toEqual([`Chave ${id} revogada.`]);
  expect(await accounts.authenticate(bearer)).toBeNull();
  expect((await run("list --email ana@exemplo.com"))[0]).toContain("revogada em");
  expect(await run(`revoke-key --email ana@exemplo.com --id ${id}`)).toEqual([
    `! A conta não tem uma chave ativa de número ${id}.`,
  ]);
});

test("list names the accounts and nothing secret", async () => {
  expect(await run("list")).toEqual(["0 contas"]);
  await accounts.signUp(form, visitor());
  const lines = await run("list");
  expect(lines).toEqual([
    expect.stringMatching(
      /^\d{4}-\d\d-\d\d {2}ana@exemplo\.com {2}Ana {2}visto em \S+, números: 0, pessoas: 0$/,
    ),
    "1 conta",
  ]);
});

test.each([
  ["", `! ${USAGE}`],
  ["drop-all", `! Comando desconhecido: drop-all\n\n${USAGE}`],
  ["constructor", `! Comando desconhecido: constructor\n\n${USAGE}`],
  ["list --nome x", `! Opções de list: --email.\n\n${USAGE}`],
  ["reset-password", `! Falta --email.\n\n${USAGE}`],
  ["reset-password --email ninguem@exemplo.com", "! Não há conta com o e-mail ninguem@exemplo.com."],
  ["create-key --email ana@exemplo.com", `! Falta --name: diga para que a chave serve.\n\n${USAGE}`],
  ["create-key --email a@b.co --name x --days 0", "! --days aceita um número inteiro de 1 a 3650."],
  ["create-key --email a@b.co --name x --days 1e99", "! --days aceita um número inteiro de 1 a 3650."],
  [
    "set-limit --email a@b.co --messages 9 --email ana@exemplo.com",
    `! --email foi dada mais de uma vez.\n\n${USAGE}`,
  ],
  ["revoke-key --email a@b.co --id x", `! Falta --id: o número da chave.\n\n${USAGE}`],
])("«%s» is answered in words", async (line, words) => {
  expect(await run(line)).toEqual([words]);
});

test("assign-instance finds the account and says what is missing @decision 4", async () => {
  const { me } = await accounts.signUp(form, visitor());
  const line = "assign-instance --email ana@exemplo.com --instance loja";
  expect(await run(line)).toEqual([`${me.id} undefined loja`]);
  expect(await run(`${line} --gateway Matriz`)).toEqual([`${me.id} Matriz loja`]);
  expect((await run("assign-instance --email ana@exemplo.com"))[0]).toMatch(/^! Falta --instance/);
  expect((await run("assign-instance --email x@exemplo.com --instance loja"))[0]).toMatch(/^! Não há conta/);
});

test("set-limit sets the month's limit, takes it away, and refuses what is no number", async () => {
  await accounts.signUp(form, visitor());
  const limit = async () =>
    (await sql<{ monthly_limit: number | null }>`select monthly_limit from account`.execute(db)).rows[0]
      ?.monthly_limit;
  expect(await run("set-limit --email ana@exemplo.com --messages 20000")).toEqual([
    "ana@exemplo.com: até 20.000 mensagens por mês.",
  ]);
  expect(await limit()).toBe(20_000);
  for (const wrong of ["-1", "1.5", "1e3", "muitas", "99999999999", ""])
    expect((await run(`set-limit --email ana@exemplo.com --messages=${wrong}`))[0]).toMatch(
      /^! (--messages|Opções)/,
    );
  expect(await limit()).toBe(20_000);
  await run("set-limit --email ana@exemplo.com --messages none");
  expect(await limit()).toBeNull();
});

test("create-key --scope makes a key that opens no more than that", async () => {
  await accounts.signUp(form, visitor());
  const [key] = await run("create-key --email ana@exemplo.com --name Loja --scope read");
  const headers = new Headers({ authorization: `Bearer ${key}` });
  expect(await accounts.authenticate({ headers })).toMatchObject({ via: "key", scope: "read" });
  expect(await run("create-key --email ana@exemplo.com --name Loja --scope write")).toEqual([
    "! --scope aceita all, send ou read.",
  ]);
});

test("27.F4 invite prints a one-time link with its secret behind the #; the list says who used it", async () => {
  const invited = testAccounts(database, { signup: "invite" });
  const [link = "", words] = await run("invite --email ANA@exemplo.com --days 3");
  expect(link).toMatch(/^https:\/\/recado\.example\/signup#[\w-]{43}$/);
  const id = /^Convite (\d+), só para ana@exemplo\.com, válido até /.exec(words ?? "")?.[1];
  await invited.signUp({ ...form, invitation: link.split("#")[1] }, visitor());
  expect(await run(`revoke-invitation --id ${id}`)).toEqual([
    `! Não há um convite de número ${id} que ainda valha.`,
  ]);
  const [other = ""] = await run("invite");
  const [first, second, sum] = await run("invitations");
  expect(first).toMatch(/ana@exemplo\.com {2}usado em \S+ por ana@exemplo\.com$/);
  expect(second).toMatch(/qualquer e-mail {2}expira em /);
  expect(sum).toBe("2 convites");
  const last = second?.split(" ")[0];
  expect(await run(`revoke-invitation --id ${last}`)).toEqual([`Convite ${last} revogado.`]);
  await expect(invited.lookAtInvitation(other.split("#")[1] ?? "")).rejects.toMatchObject({
    code: "invitation_over",
  });
});

test.each([
  ["invite --email ana", "! ana não é um e-mail."],
  ["invite --days 0", "! --days aceita um número inteiro de 1 a 90."],
  ["invite --days 91", "! --days aceita um número inteiro de 1 a 90."],
  ["revoke-invitation", "! Falta --id: o número do convite."],
])("%s is refused", async (line, words) => {
  expect(await run(line)).toEqual([words]);
});

test("27.F4 create makes an account that signs in, notes who made it, and closes the door of the first", async () => {
  const made = await run("create --email ana@exemplo.com --name Ana --generate");
  expect(made[0]).toBe("Conta criada: ana@exemplo.com");
  const password = made[1]?.replace("Primeira senha: ", "") ?? "";
  const closed = testAccounts(database, { signup: "first" });
  const { me } = await closed.login({ email: form.email, password }, visitor());
  expect(me).toMatchObject({ name: "Ana", timeZone: "America/Sao_Paulo" });
  await expect(closed.signUp(signUpForm(), visitor())).rejects.toMatchObject({ code: "signup_closed" });
  const { rows } = await sql`select kind, actor from audit_event where kind = 'account_created'`.execute(db);
  expect(rows).toEqual([{ kind: "account_created", actor: "operator" }]);
  expect(await run("create --email ana@exemplo.com --name Ana --generate")).toEqual([
    "! Já há uma conta com o e-mail ana@exemplo.com.",
  ]);
  expect(await run("create --email rui@exemplo.com --name Rui", ["curta"])).toEqual([
    "! A conta não foi criada. Use pelo menos 8 caracteres.",
  ]);
});

test("27.F4 suspend and resume say what they did, and the list who is suspended, since when, and what an account has", async () => {
  const { me } = await accounts.signUp(form, visitor());
  await sql`insert into connection (account_id, kind, device_id, name) values (${me.id}::uuid, 'device', '5531900000000', 'Loja')`.execute(
    db,
  );
  await sql`insert into account_people (account_id, people) values (${me.id}::uuid, 1200)`.execute(db);
  const day = new Date().toISOString().slice(0, 10);
  const line = `${day}  ana@exemplo.com  Ana  visto em ${day}, números: 1, pessoas: 1.200`;
  expect(await run("list")).toEqual([line, "1 conta"]);
  expect(await run("suspend --email ana@exemplo.com")).toEqual([
    "ana@exemplo.com está suspensa. Sessões encerradas: 1; campanhas pausadas: 0; mensagens avulsas não enviadas: 0.",
  ]);
  expect(await run("list")).toEqual([`${line}, suspensa desde ${day}`, "1 conta"]);
  expect((await run("suspend --email ana@exemplo.com"))[0]).toContain("já estava suspensa");
  expect((await run("resume --email ana@exemplo.com"))[0]).toContain("pode entrar de novo");
  expect(await run("resume --email ana@exemplo.com")).toEqual(["! ana@exemplo.com não está suspensa."]);
});

test("27.F4 remove asks for the e-mail again and closes the account for everyone", async () => {
  await accounts.signUp(form, visitor());
  expect((await run("remove --email ana@exemplo.com"))[0]).toMatch(
    /^! Isto exclui a conta de ana@exemplo\.com para sempre/,
  );
  expect((await run("remove --email ana@exemplo.com --confirm rui@exemplo.com"))[0]).toMatch(
    /^! Isto exclui/,
  );
  await accounts.login({ email: form.email, password: PASSWORD }, visitor());
  expect((await run("remove --email ana@exemplo.com --confirm ana@exemplo.com"))[0]).toContain("foi fechada");
  await expect(accounts.login({ email: form.email, password: PASSWORD }, visitor())).rejects.toMatchObject({
    code: "login_failed",
  });
  expect(await run("list")).toEqual(["0 contas"]);
});

test("27.6 set-limit changes any limit of one account or of all, and limits shows each with its use", async () => {
  const { me } = await accounts.signUp(form, visitor());
  await sql`insert into contact_list (account_id, name, contacts) values (${me.id}::uuid, 'Clientes', 1234)`.execute(
    db,
  );
  expect(await run("set-limit --email ana@exemplo.com --people 1000 --numbers none")).toEqual([
    "ana@exemplo.com: --numbers  sem limite, em uso 0 números",
    "ana@exemplo.com: --people  até 1.000 contatos nas listas, em uso 1.234 contatos nas listas",
  ]);
  expect(await run("set-limit --all --lists 1 --stored-bytes 2500000000")).toEqual([
    "Todas as contas sem limite próprio: --lists 1 lista de contatos.",
    "Todas as contas sem limite próprio: --stored-bytes 2,5 GB de arquivos.",
  ]);
  const shown = await run("limits --email ana@exemplo.com");
  expect(shown).toHaveLength(13);
  expect(shown).toContain("--lists  até 1 lista de contatos, em uso 1 lista de contatos");
  expect(shown).toContain("--stored-bytes  até 2,5 GB de arquivos, em uso 0 GB de arquivos");
  expect(await run("set-limit --all --lists default --stored-bytes default")).toHaveLength(2);
  expect(await run("limits --email ana@exemplo.com")).toContain(
    "--lists  até 500 listas de contatos, em uso 1 lista de contatos",
  );
  for (const wrong of ["-1", "1.5", "muitas", "9999999999999999", ""])
    expect((await run(`set-limit --email ana@exemplo.com --numbers=${wrong}`))[0]).toMatch(
      /^! --numbers aceita/,
    );
  expect((await run("set-limit --email ana@exemplo.com"))[0]).toMatch(/^! Diga que limite muda/);
  expect((await run("set-limit --all --email ana@exemplo.com --numbers 3"))[0]).toMatch(
    /^! --all ou --email/,
  );
  expect((await run("set-limit --all --messages 3"))[0]).toMatch(/^! --messages vale para uma conta/);
});

test("27.6 allow and disallow open the operator's services to one account, and assign-instance asks for that first", async () => {
  await openServices(db, { gateways: "named", mail: "named" });
  onTestFinished(() => openServices(db));
  const { me } = await accounts.signUp(form, visitor());
  const owner = ownerOf(db, me.id);
  const line = "assign-instance --email ana@exemplo.com --instance loja";
  expect((await run(line))[0]).toMatch(/^! Os servidores desta instalação não estão abertos a esta conta/);
  expect(await run("allow --email ana@exemplo.com --service gateways")).toEqual([
    "ana@exemplo.com: servidores Evolution desta instalação abertos.",
  ]);
  expect(await mayUse(owner, "gateways")).toBe(true);
  expect(await mayUse(owner, "mail")).toBe(false);
  expect(await run(line)).toEqual([`${me.id} undefined loja`]);
  expect(await run("disallow --email ana@exemplo.com --service gateways")).toEqual([
    "ana@exemplo.com: servidores Evolution desta instalação fechados.",
  ]);
  expect(await mayUse(owner, "gateways")).toBe(false);
  expect((await run("disallow --email ana@exemplo.com --service mistral"))[1]).toMatch(
    /^Mas RECADO_MISTRAL_FOR/,
  );
  expect((await run("allow --email ana@exemplo.com --service tudo"))[0]).toMatch(/^! --service aceita/);
});

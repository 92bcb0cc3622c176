import { expect, test } from "vitest";
import { readConfig } from "./config.ts";

test("nothing set gives a server for this machine alone", () => {
  expect(readConfig({})).toMatchObject({
    port: 3000,
    host: "127.0.0.1",
    publicUrl: null,
    databaseUrl: null,
    resend: "same-id",
    trustedProxies: 0,
    proxiesUnsaid: true,
    logLevel: "info",
  });
});

test("an empty variable is an unset one, also of spaces alone; the public address loses its slash", () => {
  expect(readConfig({ PORT: " ", RECADO_TIME_SCALE: " \r", RECADO_DATA: " " })).toMatchObject({
    port: 3000,
    timeScale: 1,
    dataFolder: undefined,
  });
  expect(readConfig({ PORT: "", RECADO_URL: "https://recado.exemplo.com.br/" })).toMatchObject({
    port: 3000,
    publicUrl: "https://recado.exemplo.com.br",
  });
});

test("all errors are reported at once, by name", () => {
  const invalid = {
    PORT: "80a",
    RECADO_URL: "recado.exemplo.com.br",
    DATABASE_URL: "mysql://x",
    RECADO_RESEND: "maybe",
    RECADO_TRUST_PROXY: "-1",
    LOG_LEVEL: "loud",
    RECADO_TERMS: "termos.md",
  };
  const refused = () => readConfig(invalid);
  expect(refused).toThrow(/7 problemas/);
  for (const name of Object.keys(invalid)) expect(refused).toThrow(new RegExp(`^  ${name}: `, "m"));
});

test("separate processes need a shared database and address; a worker alone needs no port", () => {
  for (const RECADO_PROCESS of ["web", "worker"]) {
    const alone = () => readConfig({ RECADO_PROCESS });
    expect(alone).toThrow(/2 problemas/);
    expect(alone).toThrow(/DATABASE_URL: falta; .*precisam de um PostgreSQL externo/);
    expect(alone).toThrow(/RECADO_URL: falta; .*o mesmo para todos os processos/);
  }
  const shared = { DATABASE_URL: "postgres://banco/recado", RECADO_URL: "https://recado.exemplo.com.br" };
  expect(readConfig({ ...shared, RECADO_PROCESS: "web" })).toMatchObject({ process: "web", port: 3000 });
  expect(readConfig({ ...shared, RECADO_PROCESS: "worker" })).toMatchObject({
    process: "worker",
    port: null,
  });
  expect(readConfig({ ...shared, RECADO_PROCESS: "worker", PORT: "3100" }).port).toBe(3100);
  expect(readConfig({}).process).toBe("all");
  expect(() => readConfig({ RECADO_PROCESS: "both" })).toThrow(
    /RECADO_PROCESS: use um destes valores: all, web, worker/,
  );
});

test("one error is one line", () => {
  expect(() => readConfig({ PORT: "70000" })).toThrow(
    "A configuração tem um problema:\n  PORT: use uma porta de 0 a 65535",
  );
  expect(() => readConfig({ RECADO_URL: "https://a.example/recado" })).toThrow(/sem caminho/);
});

test("an unreadable database address is reported without its password", () => {
  for (const url of [
    "postgres://recado:um%2Fdois@10.0.0.5:5432/recado?sslmode=require",
    "postgres:///recado?host=%2Fvar%2Frun%2Fpostgresql",
    "postgres://recado@/recado?host=/run/postgresql",
    "postgresql://recado:a b@banco/recado",
  ])
    expect(readConfig({ DATABASE_URL: url }).databaseUrl).toBe(url);
  for (const sign of ["/", "#", "?"]) {
    const read = () => readConfig({ DATABASE_URL: `postgres://recado:segredo${sign}1@banco/recado` });
    expect(read).toThrow(/DATABASE_URL: não pode ser lido: .*sinais da senha em forma de porcentagem/);
    expect(read).not.toThrow(/segredo/);
  }
});

test("a mail server comes with its sender, and its error does not repeat the password", () => {
  const RECADO_SMTP_URL = "smtp://recado:can%C3%A1rio@mail.exemplo.com.br";
  const RECADO_MAIL_FROM = "Recado <avisos@exemplo.com.br>";
  expect(readConfig({}).mail).toBeNull();
  expect(readConfig({ RECADO_SMTP_URL, RECADO_MAIL_FROM }).mail).toEqual({
    server: {
      host: "mail.exemplo.com.br",
      port: 587,
      secure: false,
      auth: { user: "recado", pass: "canário" },
    },
    from: { name: "Recado", address: "avisos@exemplo.com.br" },
  });
  for (const alone of [{ RECADO_SMTP_URL }, { RECADO_MAIL_FROM }])
    expect(() => readConfig(alone)).toThrow(/RECADO_SMTP_URL: vem junto com RECADO_MAIL_FROM/);
  const invalid = { RECADO_SMTP_URL: "http://recado:segredo@mail", RECADO_MAIL_FROM: "ninguém" };
  expect(() => readConfig(invalid)).toThrow(/2 problemas.*RECADO_SMTP_URL.*RECADO_MAIL_FROM/s);
  expect(() => readConfig(invalid)).not.toThrow(/segredo/);
});

test("an internal host is a name or a number; an error names the entry's place only", () => {
  const given = "Evolution, 10.0.0.5:8080 fd00::5,[fd00::6]:8080,câmera.local,n8n_1";
  expect(readConfig({ RECADO_PRIVATE_HOSTS: given }).privateHosts).toBe(given);
  const wrong = [
    "http://eu:segredo@10.0.0.5",
    "10.0.0.0/8",
    "*.local",
    "10.0.0",
    "evo/",
    "evo:porta",
    "[fd00",
  ];
  const refused = () => readConfig({ RECADO_PRIVATE_HOSTS: ["10.0.0.5", ...wrong].join() });
  expect(refused).toThrow(/7 problemas/);
  for (const at of wrong.keys()) expect(refused).toThrow(`RECADO_PRIVATE_HOSTS: item ${at + 2}: `);
  expect(refused).not.toThrow(/segredo/);
});

test("27.F4 who may sign up: everybody while only this machine reaches us, else the first person, unless said @decision 34", () => {
  const signup = (env: Record<string, string>) => readConfig(env).signup;
  for (const HOST of ["", "127.0.0.1", "localhost", "::1", "127.8.8.8"])
    expect(signup({ HOST }), HOST).toBe("open");
  for (const HOST of ["0.0.0.0", "::", "192.168.0.7", "recado.local"])
    expect(signup({ HOST }), HOST).toBe("first");
  expect(signup({ RECADO_URL: "https://recado.example" })).toBe("first");
  expect(signup({ RECADO_URL: "http://127.0.0.1:3000" })).toBe("first");
  expect(signup({ RECADO_TRUST_PROXY: "1" })).toBe("first");
  expect(signup({ RECADO_TRUST_PROXY: "0" })).toBe("open");
  for (const mode of ["open", "first", "invite"]) {
    expect(signup({ RECADO_SIGNUP: mode })).toBe(mode);
    expect(signup({ RECADO_SIGNUP: mode, RECADO_URL: "https://recado.example" })).toBe(mode);
  }
  expect(() => readConfig({ RECADO_SIGNUP: "closed" })).toThrow(
    /RECADO_SIGNUP: use um destes valores: open, first, invite/,
  );
});

test("27.6 the operator's Mistral key, gateways and mail serve all on this machine alone, and named accounts where others come", () => {
  const all = { mistral: "all", gateways: "all", mail: "all" };
  const named = { mistral: "named", gateways: "named", mail: "named" };
  for (const HOST of ["127.0.0.1", "localhost", "::1"]) expect(readConfig({ HOST }).services).toEqual(all);
  expect(readConfig({ RECADO_URL: "https://recado.exemplo.com.br" }).services).toEqual(named);
  for (const HOST of ["0.0.0.0", "::", "10.0.0.5", "127.0.0.1.exemplo.com"])
    expect(readConfig({ HOST }).services).toEqual(named);
  expect(readConfig({ HOST: "0.0.0.0", RECADO_MISTRAL_FOR: "all" }).services).toEqual({
    ...named,
    mistral: "all",
  });
  expect(readConfig({ RECADO_GATEWAYS_FOR: "named", RECADO_MAIL_FOR: "named" }).services).toEqual({
    ...named,
    mistral: "all",
  });
  expect(() => readConfig({ RECADO_MAIL_FOR: "some" })).toThrow(
    /RECADO_MAIL_FOR: use um destes valores: all, named/,
  );
});

test("files go into S3 where a bucket is named, with a key of it; half of that is an error", () => {
  const keys = { RECADO_S3_ACCESS_KEY: "key", RECADO_S3_SECRET_KEY: "secret" };
  expect(readConfig({}).s3).toBeNull();
  expect(readConfig({ ...keys, RECADO_S3_BUCKET: "recado" }).s3).toEqual({
    bucket: "recado",
    folder: "",
    endpoint: null,
    region: "us-east-1",
    accessKey: "key",
    secretKey: "secret",
    pathStyle: false,
  });
  const own = { RECADO_S3_BUCKET: "recado/a/b", RECADO_S3_ENDPOINT: "http://minio:9000/" };
  expect(readConfig({ ...keys, ...own }).s3).toMatchObject({
    folder: "a/b/",
    endpoint: "http://minio:9000",
    pathStyle: true,
  });
  expect(readConfig({ ...keys, ...own, RECADO_S3_ADDRESSING: "host" }).s3).toMatchObject({
    pathStyle: false,
  });
  expect(() => readConfig(own)).toThrow(/2 problemas[\s\S]*RECADO_S3_SECRET_KEY: falta/);
  expect(() => readConfig(keys)).toThrow(/2 problemas[\s\S]*vem junto com RECADO_S3_BUCKET/);
  expect(() => readConfig({ ...keys, RECADO_S3_BUCKET: "recado/", RECADO_S3_ENDPOINT: "minio" })).toThrow(
    /2 problemas/,
  );
});

test("files may be limited below WhatsApp's, never above", () => {
  expect(readConfig({}).attachmentMb).toBe(100);
  expect(readConfig({ RECADO_ATTACHMENT_MB: "5" }).attachmentMb).toBe(5);
  for (const RECADO_ATTACHMENT_MB of ["0", "101", "1.5", "5MB"])
    expect(() => readConfig({ RECADO_ATTACHMENT_MB })).toThrow(/use um número inteiro de MB, de 1 a 100/);
});

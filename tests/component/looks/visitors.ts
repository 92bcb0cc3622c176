import { page } from "vitest/browser";
import type { ErrorCode } from "../../../src/domain/errors.ts";
import { refuse } from "../support/endpoints.ts";
import type { FakeServer } from "../support/fake-server.ts";
import { press, shows } from "../support/screen.ts";
import { type Row, type Screen, screenOf } from "../support/screens.ts";
import { fillSignUp, logIn } from "../support/signing.ts";
import { world } from "../support/world.ts";

const visitor = () => world({ me: null, byMail: false });

type LinkKey =
  | "POST /api/password-reset/link"
  | "POST /api/email-confirmation/link"
  | "GET /api/unsubscribe/{token}";

const refusing = (key: LinkKey, code: ErrorCode) => (server: FakeServer) => {
  server.refuse(key, code);
};

const EMAIL = "dona@otica.com.br";

function byMail(server: FakeServer) {
  server.world.byMail = true;
  const change = { email: EMAIL, change: true };
  const key = { kind: "key" as const, name: "Loja antiga", prefix: "rcd_abc" };
  server.on("POST /api/password-reset", () => undefined);
  server.on("POST /api/password-reset/link", () => ({ email: EMAIL }));
  server.on("POST /api/password-reset/password", () => ({ endedSessions: 1, ended: [key], living: [] }));
  server.on("POST /api/email-confirmation/link", () => change);
  server.on("POST /api/email-confirmation/confirm", () => change);
}

function inviting(server: FakeServer) {
  server.world.signupOpen = false;
  server.on("POST /api/signup/invitation", () => ({ email: EMAIL }));
}

function overOnceSent(server: FakeServer) {
  inviting(server);
  server.on("POST /api/signup", () => {
    server.refuse("POST /api/signup/invitation", "invitation_over");
    throw refuse("invitation_over");
  });
}

function news(server: FakeServer) {
  const link = { kind: "product" as const, email: "d…@exemplo.com.br", subscribed: true };
  server.on("GET /api/unsubscribe/{token}", () => link);
  server.on("POST /api/unsubscribe/{token}", () => Object.assign(link, { subscribed: false }));
}

async function setPassword() {
  await page.getByLabelText("Nova senha", { exact: true }).fill("o sabiá canta cedo");
  await page.getByLabelText("Confirmar nova senha").fill("o sabiá canta cedo");
  await press("Definir senha");
  await shows("Senha definida");
}

const ROWS: Row[] = [
  ["login", "/login", "Entrar"],
  ["login-ended", "/login?ended=true", "Entrar", () => press("Entrar")],
  ["signup", "/signup", "Criar conta"],
  [
    "signup-errors",
    "/signup",
    "Criar conta",
    async () => {
      await press("Criar conta");
      await shows("Informe seu nome.");
    },
  ],
  [
    "login-suspended",
    "/login",
    "Entrar",
    async () => {
      await logIn(EMAIL);
      await shows(/^Esta conta está suspensa/);
    },
    { prepare: (server) => void server.refuse("POST /api/login", "account_suspended") },
  ],
  ["signup-closed", "/signup", "Esta instalação convida as pessoas.", undefined, { prepare: inviting }],
  [
    "signup-invited",
    "/signup#convite",
    "Este convite cria a sua conta nesta instalação.",
    undefined,
    { prepare: inviting },
  ],
  [
    "signup-over",
    "/signup#convite",
    "Este convite cria a sua conta nesta instalação.",
    async () => {
      await fillSignUp();
      await press("Criar conta");
      await shows("Este convite não vale mais.");
    },
    { prepare: overOnceSent },
  ],
  ["terms", "/termos", /^O serviço envia/],
  ["forgot-no-mail", "/esqueci-a-senha", "Peça uma senha nova"],
  [
    "forgot-password",
    "/esqueci-a-senha",
    "Enviar link",
    async () => {
      await press("Enviar link");
      await shows("Informe o e-mail.");
    },
    { prepare: byMail },
  ],
  [
    "forgot-sent",
    "/esqueci-a-senha",
    "Enviar link",
    async () => {
      await page.getByLabelText("E-mail").fill(EMAIL);
      await press("Enviar link");
      await shows("Confira o seu e-mail");
    },
    { prepare: byMail },
  ],
  [
    "new-password",
    "/nova-senha#segredo",
    "Confirmar nova senha",
    async () => {
      await press("Definir senha");
      await shows("Informe a senha.");
    },
    { prepare: byMail },
  ],
  ["new-password-set", "/nova-senha#segredo", "Confirmar nova senha", setPassword, { prepare: byMail }],
  ["confirm-email", "/confirmar-email#segredo", "Confirmar", undefined, { prepare: byMail }],
  [
    "confirm-email-done",
    "/confirmar-email#segredo",
    "Confirmar",
    async () => {
      await press("Confirmar");
      await shows("E-mail confirmado");
    },
    { prepare: byMail },
  ],
  ["unsubscribe", "/descadastrar/selo", /^Parar de receber/, undefined, { prepare: news }],
  [
    "unsubscribe-done",
    "/descadastrar/selo",
    /^Parar de receber/,
    async () => {
      await press("Descadastrar");
      await shows(/^Pronto, você não recebe mais/);
    },
    { prepare: news },
  ],
  [
    "new-password-over",
    "/nova-senha#nada",
    "Este link não vale mais",
    undefined,
    { prepare: refusing("POST /api/password-reset/link", "reset_link_over") },
  ],
  [
    "confirm-email-over",
    "/confirmar-email#nada",
    "Este link não vale mais",
    undefined,
    { prepare: refusing("POST /api/email-confirmation/link", "confirmation_link_over") },
  ],
  [
    "unsubscribe-gone",
    "/descadastrar/nada",
    "Este link não vale mais",
    undefined,
    { prepare: refusing("GET /api/unsubscribe/{token}", "not_found") },
  ],
  ["not-found", "/nao-existe", "Página Não Encontrada"],
];

export const SCREENS: Screen[] = ROWS.map(screenOf(visitor));

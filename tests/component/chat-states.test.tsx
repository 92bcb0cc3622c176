import { expect, test } from "vitest";
import { commands, page, userEvent } from "vitest/browser";
import { PORTUGUESE } from "../../src/contract/error-messages.ts";
import { message } from "./support/rows.ts";
import { button, shows } from "./support/screen.ts";
import {
  arrives,
  field,
  log,
  onTheirWay,
  openChat,
  peer,
  said,
  sends,
  someTalks,
  written,
} from "./support/talks.ts";

function allStates({ server, ana }: ReturnType<typeof someTalks>) {
  const mine = { fromMe: true } as const;
  const error = { code: "not_on_whatsapp", text: "este número não tem WhatsApp" };
  const doubt = { code: "no_ack", text: "O WhatsApp não confirmou a mensagem." };
  server.world.messages[ana.id]?.push(
    message({ ...mine, text: "estado pendente", status: "pending" }),
    message({ ...mine, text: "talvez", status: "uncertain", error: doubt, outboxId: 1 }),
    message({ ...mine, text: "não foi", status: "error", error, outboxId: 2 }),
    message({ ...mine, text: "foi", status: "delivered" }),
  );
}

test("the keyboard goes through the chat in the order in which one reads it", async () => {
  allStates(someTalks());
  await openChat("/chat", "A verificar");
  (await page.getByLabelText("Conexão").findElement()).focus();
  const next = async () => {
    await userEvent.tab();
    return document.activeElement;
  };
  const named = async (name: string) => {
    const focused = await next();
    expect(focused?.ariaLabel ?? focused?.textContent).toBe(name);
  };
  expect(await next()).toBe(page.getByRole("searchbox").element());
  await named("Nova conversa");
  expect((await next())?.getAttribute("aria-current")).toBe("page");
  expect(await next()).toBe(log().element());
  await named("Reenviar mesmo assim");
  await named("Tentar novamente");
  await named("Ações da mensagem");
  await named("Anexar arquivo");
  expect(await next()).toBe(field().element());
  await expect.element(log()).toHaveAttribute("aria-busy", "false");
});

test("in forced colours a border marks each message", async () => {
  someTalks();
  await openChat();
  await commands.emulateMedia({ forcedColors: "active" });
  const bubble = document.querySelector("[data-ui~=bubble]");
  await expect.poll(() => bubble && getComputedStyle(bubble).outlineStyle).toBe("solid");
});

test("a group shows its name and who speaks, and takes an answer @spec 2.73,9.17", async () => {
  const { server, group } = someTalks();
  group.name = "Vitrine";
  await openChat(`/chat?conversa=${group.id}`, "a vitrine ficou ótima");
  await expect.element(peer("Vitrine")).toBeVisible();
  await expect.element(page.getByText(group.remoteId, { exact: true })).not.toBeInTheDocument();
  await expect.element(said("a vitrine ficou ótima")).toMatchTextContent("Lucas");
  await sends("obrigado a todos");
  const thanks = said("obrigado a todos");
  await expect.poll(onTheirWay).toEqual([]);
  const stored = server.world.messages[group.id]?.at(-1);
  if (!stored) throw new Error("the answer is not stored");
  for (const [status, word] of [
    ["sent", "Enviado"],
    ["read", "Lido por alguém"],
  ] as const) {
    stored.status = status;
    await server.publish("chats", group.id);
    await expect.element(thanks).toMatchTextContent(word);
  }
  expect(written(server)).toEqual([{ to: group.id, text: "obrigado a todos", attachmentId: null }]);
});

test("a refused message says why and is sent again by hand", async () => {
  const { server, ana } = someTalks();
  await openChat();
  await sends("Bom dia, Ana!");
  await expect.poll(onTheirWay).toEqual([]);
  const stored = server.world.messages[ana.id]?.at(-1);
  if (!stored) throw new Error("the message is not stored");
  stored.status = "error";
  stored.error = { code: "wa_400", text: PORTUGUESE.failureText("wa_400") };
  await server.publish("chats", ana.id);
  const greeting = said("Bom dia, Ana!");
  await expect
    .element(greeting)
    .toMatchTextContent(/Erro.*o WhatsApp não entendeu a mensagem \(código 400\)/s);
  await button("Tentar novamente", greeting).click();
  await expect.element(greeting.first()).toMatchTextContent("Enviada de novo, abaixo.");
  const again = server.world.messages[ana.id]?.at(-1);
  if (again) again.status = "delivered";
  await server.publish("chats", ana.id);
  await expect.element(greeting.last()).toMatchTextContent("Entregue");
  await expect.element(greeting.first()).toMatchTextContent("Enviada de novo, abaixo.");
  const retries = server.requests("POST /api/chats/{id}/messages/{outboxId}/retry");
  expect(retries.map(({ params }) => params.outboxId)).toEqual([stored.outboxId]);
});

const WAITS = "fica como Pendente e sai sozinho quando a conexão puder enviar";

test("while the number is away messages wait as pending, and go out when it is back", async () => {
  const { server, matriz, ana } = someTalks();
  await openChat();
  await expect.element(page.getByText(WAITS)).not.toBeInTheDocument();
  Object.assign(matriz, { state: "connecting", cause: "network" });
  await server.publish("connections", matriz.id);
  await shows(WAITS);
  await sends("já respondo");
  await expect.poll(onTheirWay).toEqual([]);
  await expect.element(said("já respondo")).toMatchTextContent("Pendente");
  Object.assign(matriz, { state: "connected", cause: null });
  const stored = server.world.messages[ana.id]?.at(-1);
  if (stored) stored.status = "delivered";
  await server.publish("connections", matriz.id);
  await server.publish("chats", ana.id);
  await expect.element(said("já respondo")).toMatchTextContent("Entregue");
  await expect.element(page.getByText(WAITS)).not.toBeInTheDocument();
  expect(written(server)).toHaveLength(1);
});

test("an opt-out request is marked and confirmed once", async () => {
  const { server, ana } = someTalks();
  await openChat();
  ana.optedOut = true;
  await arrives(server, ana, "Sair.");
  await shows("Não quer receber campanhas");
  server.world.messages[ana.id]?.push(
    message({ fromMe: true, source: "opt_out", status: "delivered", text: "Você não recebe mais." }),
  );
  await server.publish("chats", ana.id);
  const confirmation = log().getByRole("article").last();
  await expect.element(confirmation).toMatchTextContent(/Confirmação automática.*Entregue/s);
});

import { expect, test } from "vitest";
import { renderApp } from "./support/render-app.tsx";
import { shows } from "./support/screen.ts";
import { log, peer, said, someTalks, thread } from "./support/talks.ts";

const reactions = (text: string) => said(text).getByRole("list", { name: "Reações" });

test("a reaction stands on its message, with who of a group; nobody's are shown as nothing", async () => {
  const { server, ana, group } = someTalks();
  const [first] = server.world.messages[ana.id] ?? [];
  const [photo] = server.world.messages[group.id] ?? [];
  if (!first || !photo) throw new Error("no messages");
  first.reactions = [{ emoji: "👍", fromMe: false, who: null }];
  photo.reactions = [
    { emoji: "😂", fromMe: false, who: "Bia" },
    { emoji: "❤️", fromMe: true, who: null },
    { emoji: "😂", fromMe: false, who: "5511911111111" },
  ];
  await renderApp("/chat");
  await expect.element(peer("Ana Beatriz Rocha")).toBeVisible();
  await expect.element(reactions("Oi! Vale para óculos de sol?")).toMatchTextContent("👍 Ana Beatriz Rocha");
  await expect.element(reactions("Passo aí às 17h")).not.toBeInTheDocument();
  await thread(/@g\.us/).click();
  await expect.element(reactions("a vitrine ficou ótima")).toMatchTextContent("❤️ Você");
  await log().getByRole("button", { name: "😂 Bia e +55 11 91111-1111" }).click();
  await shows("Bia e +55 11 91111-1111");
});

import { expect, test } from "vitest";
import { message } from "./support/rows.ts";
import { log, openChat, said, someTalks } from "./support/talks.ts";

test("a poll shows what was chosen and how often; a vote says what it is, taken back and sealed ones too", async () => {
  const { server, ana } = someTalks();
  const options = [
    { text: "Sábado", votes: 1 },
    { text: "Domingo", votes: 3 },
  ];
  const poll = { question: "Qual dia fica melhor?", options, voters: 3, sealed: 1 };
  server.world.messages[ana.id]?.push(
    message({ kind: "poll", text: "Qual dia fica melhor?\n- Sábado\n- Domingo", poll }),
    message({
      kind: "poll",
      text: "E a hora?\n- 8h",
      poll: { question: "E a hora?", options: [{ text: "8h", votes: 0 }], voters: 0, sealed: 0 },
    }),
    message({ kind: "vote", text: "Domingo", chosen: ["Domingo"] }),
    message({ kind: "vote", text: "", chosen: [] }),
    message({ kind: "vote", text: "", chosen: null }),
    message({ text: "até lá" }),
  );
  await openChat("/chat", "até lá");
  await expect
    .element(said("Qual dia fica melhor?"))
    .toMatchTextContent(
      /Enquete.*Qual dia fica melhor\?.*Sábado1 voto.*Domingo3 votos.*3 pessoas votaram.*1 voto que só o celular mostra/,
    );
  await expect.element(said("Qual dia fica melhor?")).not.toMatchTextContent("- Sábado");
  await expect.element(said("E a hora?")).toMatchTextContent("Sem votos ainda");
  await expect
    .element(log())
    .toMatchTextContent(
      /Voto na enquete.*Domingo.*Retirou o voto.*Votou na enquete; o voto aparece no celular/,
    );
});

test("an address shows its page's title over the host that it opens", async () => {
  const { server, ana } = someTalks();
  const link = { url: "https://loja.example/novas?x=1", title: "Armações novas", description: "De acetato" };
  server.world.messages[ana.id]?.push(message({ text: "vi em https://loja.example/novas?x=1", link }));
  await openChat("/chat", "vi em");
  const preview = said("vi em").getByRole("link", { name: /Armações novas/ });
  await expect.element(preview).toHaveAttribute("href", link.url);
  await expect.element(preview).toHaveAttribute("rel", "noreferrer");
  await expect.element(preview).toMatchTextContent(/Armações novas.*De acetato.*loja\.example/);
});

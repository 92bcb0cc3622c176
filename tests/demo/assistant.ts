import { type MistralStandIn, startMistral } from "../../simulators/mistral/stand-in.ts";
import type { Agent } from "../../src/contract/agents.ts";
import type { Client } from "../support/client.ts";

const KEY = "chave-de-demonstracao";
export const AGENT = "Atendente virtual";

/** Fixed answers by words of the question: nothing is generated, so they must not pass for a model's. */
const ANSWERS: readonly [RegExp, string][] = [
  [
    /s[áa]bado|hor[áa]rio|abre|fecha/i,
    "Abrimos de segunda a sexta, das 9h às 19h, e aos sábados, das 9h às 13h.",
  ],
  [/pre[çc]o|custa|valor|quanto/i, "Preços quem informa é um vendedor. Quer que alguém chame você por aqui?"],
  [/onde|endere[çc]o|fica/i, "Estamos na Savassi, perto da praça. Quer que eu mande a localização?"],
  [/obrigad/i, "Por nada! Se precisar de algo mais, é só escrever."],
];
const OTHERWISE = "Esta é uma resposta de demonstração. Um atendente continua a conversa em seguida.";

export async function startAssistant(): Promise<MistralStandIn> {
  const mistral = await startMistral({ keys: [KEY] });
  mistral.answers(({ messages }) => {
    const question = String(messages.at(-1)?.content);
    return ANSWERS.find(([words]) => words.test(question))?.[1] ?? OTHERWISE;
  });
  return mistral;
}

export async function linkAgent(call: Client, connectionId: number): Promise<void> {
  await call("PUT", "/api/mistral/settings", { apiKey: KEY });
  const agent = await call<Agent>("POST", "/api/mistral/agents", {
    name: AGENT,
    description: "Demonstração: as respostas são roteirizadas, nenhum modelo é consultado",
    instructions:
      "Você atende os clientes da Ótica Horizonte. Seja breve e gentil. Informe horários e endereço. Preços, só com um vendedor.",
  });
  await call("PUT", `/api/connections/${connectionId}/assistant`, { agentId: agent.id });
}

import { parseArgs } from "node:util";
import { quietSignal } from "../../simulators/whatsapp/quiet-signal.ts";
import type { Campaign } from "../../src/contract/campaigns.ts";
import { AGENT } from "./assistant.ts";
import { ACCOUNT, openStage, type Stage } from "./stage.ts";

/**
 * `npm run demo -- --port 3000`: the product beside simulated WhatsApp, gateway and Mistral, with sample data
 * of each kind. Needs no network; its data live only until it ends.
 */
const port = portAsked(process.argv.slice(2));
const ALIVE_MS = 1_000;

const say = (text = "") => process.stdout.write(`${text}\n`);

let stage: Stage | null = null;
let ending = false;
async function end(code: number): Promise<void> {
  if (ending) return;
  ending = true;
  await stage?.close();
  process.exit(code);
}
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => void end(0));
if (process.channel) process.once("disconnect", () => void end(0));
process.stdout.on("error", () => undefined);

quietSignal();
try {
  await show();
} catch (error) {
  if (!ending) process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  await end(1);
}

function portAsked(args: string[]): number {
  const use = "Uso: npm run demo [-- --port 3000]\n";
  if (args.includes("--help") || args.includes("-h")) {
    process.stdout.write(use);
    process.exit(0);
  }
  try {
    const { port: typed } = parseArgs({ args, options: { port: { type: "string" } } }).values;
    const number = Number(typed ?? (process.env.PORT?.trim() || "3000"));
    if (Number.isInteger(number) && number >= 1 && number <= 65_535) return number;
  } catch {
    // Reported below.
  }
  process.stderr.write(`${use}A porta é um número de 1 a 65535.\n`);
  process.exit(1);
}

async function show(): Promise<void> {
  const start = performance.now();
  say("Recado: demonstração. Nada sai deste computador: WhatsApp, Evolution e Mistral são simuladores.");
  stage = await openStage(port);
  const { product } = stage;
  if (ending) return stage.close();
  if (new URL(product.url).port !== String(port)) say(`A porta ${port} está ocupada; esta é outra.`);
  say();
  say(`  Endereço  ${product.url}`);
  say(`  E-mail    ${ACCOUNT.email}`);
  say(`  Senha     ${ACCOUNT.password}`);
  say();
  const running = await stage.fill((step) => say(`  ✓ ${step}`));
  say(`  Pronto em ${Math.round((performance.now() - start) / 1000)} s.`);
  tellWhatToSee(running, product.url);
  watch(stage);
}

function tellWhatToSee({ id, name, intervalS, people }: Campaign, url: string): void {
  const minutes = Math.round(((people ?? 0) * intervalS) / 60);
  say();
  say("O que olhar:");
  say(`  Painel          ${url}/`);
  say(`  Em andamento    «${name}» leva ${minutes} minutos; os números mudam sozinhos:`);
  say(`                  ${url}/campaigns?detalhes=${id}`);
  say(`  Com falhas      «Seus óculos chegaram», em ${url}/campaigns: motivos e «Reenviar falhas»`);
  say(`  Escrever        ${url}/campaigns/new: a prévia muda com o texto, a imagem e o contato`);
  say(`  Contatos        ${url}/contacts: importe um CSV do Excel; as linhas recusadas dizem por quê`);
  say(`  Chat            ${url}/chat: conversas das duas conexões; respostas à campanha chegam aos poucos`);
  say(`  Robô            ${url}/chatbot: «${AGENT}» responde na loja Savassi, com respostas roteirizadas`);
  say(`  Evolution       ${url}/instances: uma instância conectada, outra à espera do QR Code`);
  say(`  Conectar        ${url}/baileys: com um número qualquer, um celular simulado lê o código em 6 s`);
  say("                  (o mesmo com uma instância nova em Evolution)");
  say(`  Do zero         ${url}/signup: uma conta nova começa pelos primeiros passos do painel`);
  say();
  say("Ctrl-C encerra tudo e apaga estes dados.");
}

function watch({ product }: Stage): void {
  setInterval(() => {
    if (ending || isAlive(product.pid())) return;
    process.stderr.write(`O Recado terminou sozinho:\n${product.output().slice(-4_000)}\n`);
    void end(1);
  }, ALIVE_MS);
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

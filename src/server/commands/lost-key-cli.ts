import { readConfig } from "../base/config.ts";
import { commandLog } from "../base/log.ts";
import { StartError } from "../base/start-error.ts";
import { migrate } from "../db/migrate.ts";
import { createSecrets, findSecretKey, newSecretKey, opensCanary, readSecretKey } from "../db/secrets.ts";
import { openRawStorage } from "../postgres/storage.ts";
import { endOnSignals, endWithError, figure, printedUsage, say, warn } from "./cli-words.ts";
import { type Forgotten, forgetLost } from "./lost-key.ts";

const USE = "Use: npm run lost-key [-- --confirm]";

/** `npm run lost-key` lists what is lost with the key; `--confirm` deletes it. */
async function main(args: string[]): Promise<void> {
  if (printedUsage(args, USE)) return;
  const confirmed = args[0] === "--confirm";
  if (args.length > (confirmed ? 1 : 0)) throw new StartError(USE);
  endOnSignals(() => "Interrompido.");
  const config = readConfig(process.env);
  const log = commandLog();
  const storage = await openRawStorage(config, log, { visit: true });
  const { database, dataFolder, notices } = storage;
  try {
    for (const notice of notices) warn(notice);
    await migrate(database, log, { visit: true });
    // Without confirmation no key is created.
    const key = confirmed
      ? readSecretKey(config.secretKey, dataFolder)
      : (findSecretKey(config.secretKey, dataFolder) ?? newSecretKey());
    const secrets = createSecrets(key);
    if (await opensCanary(database.db, secrets))
      say("A chave secreta é a deste banco de dados: nada se perdeu.");
    else tell(await forgetLost(database.db, secrets, confirmed), confirmed);
  } finally {
    await storage.close();
  }
}

function tell({ devices, gateways, instances, mistralKeys, erased }: Forgotten, confirmed: boolean): void {
  say(confirmed ? "Esquecido, por só abrir com a chave perdida:" : "Só abre com a chave perdida:");
  say(`- sessões do WhatsApp: ${figure(devices)} (cada número precisa de um novo QR Code)`);
  say(`- chaves de servidores Evolution: ${figure(gateways)} (digite-as de novo em «Evolution»)`);
  say(`- credenciais de instâncias: ${figure(instances)} (voltam com a chave do servidor)`);
  say(`- chaves do Mistral: ${figure(mistralKeys)} (digite-as de novo em «Meus Robôs»)`);
  say(`- marcas de pessoas apagadas a pedido: ${figure(erased)} (uma importação pode trazê-las de volta)`);
  say("- todos os acessos abertos: cada pessoa entra de novo com a sua senha");
  say("Contatos, campanhas e conversas ficam como estão.");
  say(
    confirmed
      ? "Pronto: npm start. Guarde a chave de agora em diante (npm run backup a leva junto)."
      : "Nada mudou ainda. Se a chave ainda existe em uma cópia, use-a. Se não: npm run lost-key -- --confirm",
  );
}

main(process.argv.slice(2)).catch(endWithError);

import { deleteAllSessions } from "../accounts/repo.ts";
import { replaceUnreadableKeys } from "../agents/settings.ts";
import { recordForAll } from "../audit/service.ts";
import { during, operatorRequest } from "../base/request-context.ts";
import { StartError } from "../base/start-error.ts";
import type { Db } from "../db/client.ts";
import { deleteUnreadableErased } from "../db/erased-people.ts";
import { livingProcesses } from "../db/living.ts";
import { renewCanary, type Secrets } from "../db/secrets.ts";
import { renewUnreadableInstances, replaceUnreadableApiKeys } from "../gateways/lost-key.ts";
import { upkeepOf } from "../sending/sending.ts";
import { deleteDeviceKeys, findUnreadableDevices } from "../transports/device/lost-keys.ts";

export type Forgotten = {
  devices: number;
  gateways: number;
  instances: number;
  mistralKeys: number;
  erased: number;
};

/** Placeholder key: servers refuse it and the screens show a wrong key. */
const NO_KEY = "lost";

/**
 * Deletes what only the lost key opens and ends all sessions; without `confirmed` only counts. Refuses while
 * a process works, since it has a valid key.
 */
export async function forgetLost(db: Db, secrets: Secrets, confirmed: boolean): Promise<Forgotten> {
  const trial = await db.startTransaction().execute();
  try {
    const forgotten = await forget(trial, secrets);
    await (confirmed ? trial.commit() : trial.rollback()).execute();
    return forgotten;
  } catch (error) {
    await trial.rollback().execute();
    throw error;
  }
}

async function forget(tx: Db, secrets: Secrets): Promise<Forgotten> {
  await refuseRunning(tx);
  const forgotten = {
    devices: await pruneDevices(tx, secrets),
    gateways: await replaceUnreadableApiKeys(tx, secrets, NO_KEY),
    instances: await renewUnreadableInstances(tx, secrets),
    mistralKeys: await replaceUnreadableKeys(tx, secrets, NO_KEY),
    erased: await deleteUnreadableErased(tx, secrets),
  };
  await deleteAllSessions(tx);
  await renewCanary(tx, secrets);
  await during(operatorRequest(), () => recordForAll(tx, { kind: "secret_key_lost" }));
  return forgotten;
}

/** Web-only processes count too: they seal what users enter. */
async function refuseRunning(tx: Db): Promise<void> {
  const living = await livingProcesses(tx);
  if (living.length > 0)
    throw new StartError(
      `Um Recado está rodando neste banco de dados (${living.join("; ")}): ele tem a chave. Use a mesma aqui, ou encerre-o, espere um minuto e tente de novo.`,
    );
}

/** The fence locks out a process that still has the lost key. */
async function pruneDevices(tx: Db, secrets: Secrets): Promise<number> {
  const ids = await findUnreadableDevices(tx, secrets);
  await upkeepOf(tx).endSessions(ids);
  await deleteDeviceKeys(tx, ids);
  return ids.length;
}

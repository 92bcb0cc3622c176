import { csvHeader, csvRecord } from "../../domain/csv-write.ts";
import { attachment, fileNamePart } from "../../domain/file-name.ts";
import { exportPhone } from "../../domain/phone-written.ts";
import { words } from "../base/locale.ts";
import { readZone } from "../db/account.ts";
import type { Owner } from "../db/owner.ts";
import type { Downloads } from "../jobs/downloads.ts";
import { eachDelivery, toDelivery } from "./deliveries.ts";
import type { DeliveryRow } from "./deliveries-repo.ts";
import type { CampaignRow } from "./repo.ts";

/** Only the number if no character of the name suits a file. */
const savedAs = ({ id, name }: CampaignRow, what: string) =>
  attachment([fileNamePart(name), id, what].filter((part) => part !== "").join("_"));

type Reading = { owner: Owner; downloads: Downloads };

export async function deliveriesFile(
  { owner, downloads }: Reading,
  campaign: CampaignRow,
  now: Date,
): Promise<Response> {
  const { files, deliveryName } = words();
  const time = new Intl.DateTimeFormat(files.dates, {
    dateStyle: "short",
    timeStyle: "short",
    timeZone: (await readZone(owner)) ?? campaign.zone,
  });
  const keys = campaign.variables.map(({ key }) => key);
  const messages = campaign.parts > 1 ? [files.messages] : [];
  async function* lines() {
    yield csvHeader([...files.deliveries, ...messages, ...keys]);
    for await (const rows of downloads.pages(owner.accountId, eachDelivery(owner, campaign.id, {}))) {
      yield rows
        .map((row) => {
          const { name, phone, status, reason, at, error } = toDelivery(row, now);
          return csvRecord([
            phone === "" ? words().erasedPerson : name,
            phone === "" ? "" : exportPhone(phone),
            deliveryName(status, reason),
            at && status !== "skipped" ? time.format(new Date(at)).replace(",", "") : "",
            error ?? "",
            ...messages.map(() => files.messagesSent(row.partsSent, row.parts)),
            ...keys.map((key) => textOf(row, key)),
          ]);
        })
        .join("");
    }
  }
  return downloads.send(owner.accountId, lines(), {
    "content-type": "text/csv; charset=utf-8",
    "content-disposition": savedAs(campaign, files.deliveriesName),
  });
}

const textOf = ({ vars }: DeliveryRow, key: string): string =>
  vars !== null && Object.hasOwn(vars, key) ? (vars[key] ?? "") : "";

export function failuresFile({ owner, downloads }: Reading, campaign: CampaignRow): Response {
  async function* lines() {
    const failed = eachDelivery(owner, campaign.id, { status: "error" });
    for await (const rows of downloads.pages(owner.accountId, failed)) {
      yield rows.map((row) => `${words().failureLine(row.phone, row.error)}\n`).join("");
    }
  }
  return downloads.send(owner.accountId, lines(), {
    "content-type": "text/plain; charset=utf-8",
    "content-disposition": savedAs(campaign, words().files.failuresName),
  });
}

import type { AccountService } from "../../accounts/service.ts";
import { personChats, repliesOf } from "../../chat/service.ts";
import { contactImporter, type Importer } from "../../contacts/importer.ts";
import { openPeople } from "../../contacts/people.ts";
import { ContactService } from "../../contacts/service.ts";
import type { Spool } from "../../contacts/spool.ts";
import type { Owner } from "../../db/owner.ts";
import { deleteUnrecognizedOf } from "../../gateways/service.ts";
import { LibraryService } from "../../library/service.ts";
import { upkeepOf } from "../../sending/sending.ts";
import type { Common } from "./common.ts";

export function composeContacts(common: Common, spool: Spool, accounts: AccountService) {
  const { storage, database, clock, log, changes, queues, downloads, secrets, signals, works } = common;
  const alone = storage.kind === "embedded";
  const importer = contactImporter({ database, spool, changes, clock, log, secrets, queues, alone });
  signals.hear("imports", () => importer.kick());
  const timeZoneOf = async (owner: Owner) => (await accounts.me(owner)).timeZone;
  const contacts = new ContactService({
    spool,
    queues,
    downloads,
    importer: works ? importer : importsElsewhere(common, spool.folderId),
    changes,
    secrets,
    timeZoneOf,
  });
  const people = openPeople({
    changes,
    downloads,
    secrets,
    timeZoneOf,
    repliesOf,
    chats: personChats,
    deleteEventsOf: deleteUnrecognizedOf,
  });
  return { importer, contacts, people, library: new LibraryService(changes) };
}

function importsElsewhere({ database, signals, log }: Common, folder: string): Pick<Importer, "kick"> {
  return {
    kick() {
      signals.tell("imports");
      upkeepOf(database.db)
        .hasWorkerAt(folder)
        .then(
          (seen) => {
            if (!seen)
              log.error(
                { folder },
                "no worker reads this data folder: what is imported here waits until one does",
              );
          },
          () => undefined,
        );
    },
  };
}

import type { Found } from "../../contract/search.ts";
import type { CampaignService } from "../campaigns/service.ts";
import type { ContactService } from "../contacts/service.ts";
import type { Owner } from "../db/owner.ts";
import type { LibraryService } from "../library/service.ts";

export type SearchDeps = {
  campaigns: Pick<CampaignService, "named">;
  contacts: Pick<ContactService, "named" | "people">;
  library: Pick<LibraryService, "named">;
};
export type SearchService = ReturnType<typeof searchService>;

const MOST = 5;

export function searchService({ campaigns, contacts, library }: SearchDeps) {
  return {
    find: async (owner: Owner, typed: string): Promise<Found> => {
      const words = typed.trim();
      if (words === "") return { campaigns: [], lists: [], contacts: [], templates: [] };
      const [found, lists, people, templates] = await Promise.all([
        campaigns.named(owner, words, MOST),
        contacts.named(owner, words, MOST),
        contacts.people(owner, words, MOST),
        library.named(owner, words, MOST),
      ]);
      return { campaigns: found, lists, contacts: people, templates };
    },
  };
}

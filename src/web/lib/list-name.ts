import { commonText } from "../messages/common.ts";

/** What a list is called on the screen; one without a name goes by its number. */
export const listName = (list: { id: number; name: string }) => list.name || commonText.unnamedList(list.id);

import { commonText } from "../messages/common.ts";

export const listName = (list: { id: number; name: string }) => list.name || commonText.unnamedList(list.id);

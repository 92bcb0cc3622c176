import { type ClipboardEvent, type DragEvent, useState } from "react";
import { chatText } from "../../messages/chat.ts";

type Deps = { blocked: boolean; take: (file: File) => void; refuse: (error: string) => void };

/** Pasted and dropped files; the first is taken, as a message carries one. */
export function useBroughtFiles({ blocked, take, refuse }: Deps) {
  const [over, setOver] = useState(false);
  const bring = (files: FileList): boolean => {
    const [file] = files;
    if (!file) return false;
    take(file);
    if (files.length > 1) refuse(chatText.send.oneFile);
    return true;
  };
  const drag = (inside: boolean) => (event: DragEvent) => {
    if (blocked || !event.dataTransfer.types.includes("Files")) return;
    event.preventDefault();
    setOver(inside);
  };
  return {
    over,
    onPaste: (event: ClipboardEvent) => {
      // Spreadsheets add a picture to copied cells: text is meant.
      if (event.clipboardData.getData("text/plain") === "" && bring(event.clipboardData.files))
        event.preventDefault();
    },
    zone: {
      onDragOver: drag(true),
      onDragLeave: drag(false),
      onDrop: (event: DragEvent) => {
        drag(false)(event);
        if (!blocked) bring(event.dataTransfer.files);
      },
    },
  };
}

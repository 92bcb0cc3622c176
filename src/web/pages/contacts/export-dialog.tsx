import { useState } from "react";
import { errorTextOf } from "../../api/api-error.ts";
import { address } from "../../api/call.ts";
import { download } from "../../api/download.ts";
import { commonText } from "../../messages/common.ts";
import { contactsText } from "../../messages/contacts.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { SmallError } from "../../ui/error-notice.tsx";
import { Select } from "../../ui/inputs.tsx";
import { Notice } from "../../ui/notice.tsx";
import { useListOptions } from "./use-list-options.ts";

const t = contactsText.exporting;

export function ExportDialog({ onClose }: { onClose: () => void }) {
  const [wanted, setWanted] = useState("");
  const lists = useListOptions();
  const id = lists.has(wanted) ? wanted : "";
  const [asked, setAsked] = useState(false);
  const send = () => {
    setAsked(true);
    if (id === "") return;
    download(address("/api/contact-lists/{id}/export", { params: { id } }));
    onClose();
  };
  return (
    <Dialog
      title={t.title}
      context={t.context}
      onClose={onClose}
      form={{
        noValidate: true,
        onSubmit: (event) => {
          event.preventDefault();
          send();
        },
      }}
      foot={
        <>
          <Button onClick={onClose}>{commonText.cancel}</Button>
          <Button type="submit" look="primary">
            {t.button}
          </Button>
        </>
      }
    >
      {lists.error && <SmallError title={t.failed} text={errorTextOf(lists.error, "")} />}
      {lists.isSuccess && lists.options.length === 0 && <Notice tone="info">{t.none}</Notice>}
      <Select
        label={t.list}
        value={id}
        error={asked && id === "" ? t.required : null}
        options={[{ value: "", label: lists.isPending ? commonText.loading : t.pick }, ...lists.options]}
        onChange={(event) => setWanted(event.target.value)}
      />
    </Dialog>
  );
}

import { Page } from "../../components/page.tsx";

export function ContactsPage() {
  return (
    <Page title="contacts">
      <p />
    </Page>
  );
}

import { Page } from "../../components/page.tsx";

export function NewCampaignPage() {
  return (
    <Page title="new-campaign">
      <p />
    </Page>
  );
}

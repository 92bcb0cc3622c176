-- Receipts that gateways tell under a hidden address say whose it is, also where they overtake the answer to the send that they belong to.
alter table receipt_inbox add column lid text;

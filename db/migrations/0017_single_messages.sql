-- A lane's single messages: those of people, and answers to people, go before those that programs store, however many these are.
create index outbox_next_idx on outbox (connection_id, (origin = 'api'), id) where status in (0, 1, 2);
drop index outbox_connection_id_id_idx;
-- Answers that wait are looked at before each hand-out: not among all that waits.
create index outbox_answers_idx on outbox (connection_id) where origin = 'agent' and status in (0, 2);

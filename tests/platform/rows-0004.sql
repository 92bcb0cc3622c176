-- An installation as it was after 0004_campaigns.sql, with something in every table of that schema. Loaded by upgrade.test.ts.
insert into account (id, name, email, email_verified, time_zone, terms_version, terms_accepted_at, created_at) values
  ('11111111-1111-4111-8111-111111111111', 'Ótica Horizonte', 'marina@otica.example', true, 'America/Sao_Paulo', '2026-11', '2026-11-01 12:00Z', '2026-11-01 12:00Z'),
  ('22222222-2222-4222-8222-222222222222', 'Padaria Manaós', 'joao@padaria.example', false, 'America/Manaus', '2026-11', '2026-11-02 12:00Z', '2026-11-02 12:00Z');
insert into credential (account_id, provider_id, provider_account_id, password) values
  ('11111111-1111-4111-8111-111111111111', 'credential', '11111111-1111-4111-8111-111111111111', '$argon2id$v=19$m=19456,t=2,p=1$c2Fs$aGFzaA');
insert into session (account_id, token, expires_at, ip_address, user_agent) values
  ('11111111-1111-4111-8111-111111111111', 'a-token', '2027-01-01Z', '203.0.113.7', 'Mozilla/5.0');
insert into verification (identifier, value, expires_at) values ('marina@otica.example', 'x', '2027-01-01Z');
insert into api_key (account_id, name, prefix, hash, last_used_at) values
  ('11111111-1111-4111-8111-111111111111', 'Meu sistema', 'rcd_1_ab', '\x0102', '2026-11-03 10:00Z');
insert into rate_limit (key, points, expire) values ('login:marina', 2, 1793880000000);
insert into setting (key, value) values ('message_key', '"AwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwMDAwM="'), ('terms/2026-11', '"# Termos"');

insert into contact_list (id, account_id, name, contacts) overriding system value values
  (1, '11111111-1111-4111-8111-111111111111', 'Clientes', 6),
  (2, '22222222-2222-4222-8222-222222222222', 'Vizinhos', 1);
insert into contact (list_id, seq, phone, name)
  select 1, n, 5531988880000 + n, (array['Ana', 'Bruno', 'Célia', 'D''Ávila', '', E'Eva\tLú'])[n + 1] from generate_series(0, 5) n;
insert into contact values (2, 0, 5592988887777, 'João');
insert into contact_import (id, account_id, list_id, list_name, file_name, state, encoding, separator, header, sha256, bytes_total, bytes_read, rows_read, imported, refused, finished_at)
  overriding system value values
  (1, '11111111-1111-4111-8111-111111111111', 1, 'Clientes', 'clientes.csv', 'done', 'windows-1252', ';', true, '\xab', 300, 300, 7, 6, 1, '2026-11-01 13:00Z'),
  (2, '22222222-2222-4222-8222-222222222222', null, 'Grande', 'grande.csv', 'waiting', null, null, null, '\xcd', 900, 0, 0, 0, 0, null);
insert into contact_import_row values (1, 4, 'refused', 'Fulano', '1234', 'phone_too_short'), (1, 5, 'ninth_added', 'Célia', '3188880002', '5531988880002');

insert into connection (id, account_id, kind, device_id, name, is_default, desired, state, cause, pairing, fence) overriding system value values
  (1, '11111111-1111-4111-8111-111111111111', 'device', '5531977770000', 'Matriz', true, 'connected', 'connected', null, 'p-1', 7),
  (2, '22222222-2222-4222-8222-222222222222', 'device', '5592977770000', 'Balcão', true, 'connected', 'disconnected', 'logged_out', null, 2);
insert into device_creds (connection_id, data) values (1, '\x01aabbcc');
insert into device_key values (1, 'session', '5531988880000.0', '\x01dd'), (1, 'pre-key', '1', '\x01ee');
insert into wa_address (phone, jid, lid) values (5531988880000, '553188880000@s.whatsapp.net', '900@lid'), (5531988880001, null, null);

insert into image (id, account_id, sha256, mime, width, height, bytes) overriding system value values
  (1, '11111111-1111-4111-8111-111111111111', '\x0a', 'image/png', 2, 2, '\x89504e47');
-- Sent to two of six, one refused, one in doubt; paused by a person before the last two.
insert into campaign (id, account_id, name, text, name_fallback, image_id, connection_id, connection_name, list_id, list_name, interval_s, extra_s,
    zone, life, cause, nonce, total, cursor, n_pending, n_uncertain, n_error, n_delivered, n_read, started_at, first_sent_at, last_sent_at)
  overriding system value values
  (1, '11111111-1111-4111-8111-111111111111', 'Black Friday', 'Oi, {nome}!', 'cliente', null, 1, 'Matriz', 1, 'Clientes', 0, 0,
    'America/Sao_Paulo', 'paused', 'user', 1234567890, 6, 4, 2, 1, 1, 1, 1, '2026-11-10 12:00Z', '2026-11-10 12:00Z', '2026-11-10 12:02Z'),
  (2, '11111111-1111-4111-8111-111111111111', 'Natal', 'Boas festas', '', 1, null, null, 1, 'Clientes', 60, 5,
    'America/Sao_Paulo', 'draft', null, 42, 0, 0, 0, 0, 0, 0, 0, null, null, null);
insert into delivery (campaign_id, seq, phone, name, status, tries, ambiguous, error, at)
  select 1, c.seq, c.phone, c.name, d.status, d.tries, d.ambiguous, d.error, d.at
  from contact c join (values
    (0, 8, 1, false, null, timestamptz '2026-11-10 12:05Z'), (1, 5, 1, false, 'not_on_whatsapp', '2026-11-10 12:01Z'),
    (2, 7, 1, false, null, '2026-11-10 12:03Z'), (3, 4, 6, true, 'no_ack', '2026-11-10 12:02Z'),
    (4, 0, 0, false, null, null), (5, 0, 0, false, null, null)) as d(seq, status, tries, ambiguous, error, at) on d.seq = c.seq
  where c.list_id = 1;
insert into campaign_alias values (1, '553188880000@s.whatsapp.net', 0);
insert into campaign_day (campaign_id, day, accepted, failed, uncertain, delivered, read, first_at, last_at)
  values (1, '2026-11-10', 2, 1, 1, 2, 1, '2026-11-10 12:00Z', '2026-11-10 12:05Z');
insert into campaign_upload values (2, 'p-1', '{"url": "https://mmg.example/1"}');
insert into delivery_action (campaign_id, seq, account_id, action) values (1, 3, '11111111-1111-4111-8111-111111111111', 'ignore');
insert into outbox (account_id, connection_id, phone, text, message_id, idempotency_key, body_hash, status, at) values
  ('11111111-1111-4111-8111-111111111111', 1, 5531988880000, 'Seu pedido chegou', '3EB0AA', 'pedido-1', '\x0b', 6, '2026-11-09 15:00Z');

select setval(pg_get_serial_sequence(t, 'id'), 100) from unnest(array['contact_list', 'contact_import', 'connection', 'image', 'campaign']) t;

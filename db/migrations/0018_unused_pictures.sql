-- Whether anything still names a picture is asked for each one that is to go, also when its account goes.
create index campaign_image_idx on campaign (image_id) where image_id is not null;
create index chat_message_image_idx on chat_message (image_id) where image_id is not null;
create index outbox_image_idx on outbox (image_id) where image_id is not null;

/** SQL: phones of the hidden addresses in `named` (id, account_id, connection_id, address), by their chats. */
export const PHONES_OF_NAMED = `select n.id, n.account_id, c.phone::text from named n
      join chat c on c.connection_id = n.connection_id and c.lid = n.address where c.phone is not null`;

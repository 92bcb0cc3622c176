import type { AnswerReason } from "../domain/answering.ts";
import type { MessageKind } from "../domain/chat.ts";
import type { ErrorCode } from "../domain/errors.ts";
import type { FailureReason } from "../domain/failure-reasons.ts";
import { PORTUGUESE_DELIVERIES } from "./delivery-names.ts";
import { FIELD_MESSAGES } from "./field-messages.ts";
import type { CodedError } from "./field-text.ts";
import { wordsIn } from "./words.ts";

/** `{name}` stands for a value of the error's details. English texts: error-messages-en.ts. */
export const ERROR_MESSAGES: Readonly<Record<ErrorCode, string>> = {
  // HTTP and access
  invalid_request: "A requisição está malformada.",
  invalid_fields: "Confira os campos destacados.",
  not_found: "Não encontrado.",
  method_not_allowed: "Este endereço não aceita este método.",
  unauthenticated: "Entre na sua conta para continuar.",
  wrong_host:
    "O Recado não atende por este endereço. Abra {url}. Um proxy à frente precisa repassar o cabeçalho Host como veio.",
  unknown_host:
    "O Recado não atende pelo nome {host}. Quem o administra define RECADO_URL com o endereço que as pessoas usam, como http://{host}.",
  forbidden_origin: "A requisição veio de outro site e foi recusada.",
  forbidden_scope: "Esta chave de API não permite esta operação.",
  key_in_query: "Não envie a chave no endereço: use o cabeçalho Authorization: Bearer.",
  unsupported_media_type: "Tipo de conteúdo não aceito. Envie application/json.",
  payload_too_large: "O conteúdo enviado é grande demais.",
  uri_too_long: "O endereço é longo demais.",
  too_many_requests: "Muitas tentativas. Aguarde um pouco e tente novamente.",
  took_too_long:
    "Isto demorou demais e foi interrompido. Tente novamente; se for uma busca, procure dentro de uma só lista.",
  unavailable: "O serviço está indisponível no momento. Tente novamente em instantes.",
  starting: "O Recado está iniciando. Tente novamente em instantes.",
  outdated:
    "O Recado foi atualizado, e esta parte dele ainda é a versão anterior: ela só mostra, e nada é gravado. Tente novamente em instantes.",
  internal: "Algo deu errado do nosso lado. Tente novamente e, se continuar, informe o código {requestId}.",
  limit_reached: "Limite da conta atingido: {limit}. Fale com quem administra esta instalação.",
  service_closed:
    "Quem administra esta instalação não abriu este serviço para a sua conta. Peça a essa pessoa que o abra.",
  // accounts
  login_failed: "Falha ao fazer login. Por favor, verifique suas credenciais.",
  insecure_address: "Por este endereço, sem https, o navegador não guarda o seu acesso. Abra {url}.",
  confirmation_link_over:
    "Este link não vale mais. Ele vale por três dias e só uma vez. Peça outro em Configurações.",
  email_not_confirmed: "O e-mail desta conta ainda não foi confirmado. Até lá, nenhum aviso é enviado a ele.",
  reset_link_over: "Este link não vale mais. Ele vale por uma hora e só uma vez. Peça outro.",
  signup_failed: "Não foi possível criar a conta.",
  signup_closed:
    "Esta instalação convida as pessoas: a conta é criada por um link de convite. Peça o seu a quem administra.",
  invitation_over: "Este convite não vale mais. Peça outro a quem administra esta instalação.",
  account_suspended:
    "Esta conta está suspensa, e nada é enviado por ela. Fale com quem administra esta instalação.",
  email_change_failed: "Não foi possível trocar o e-mail.",
  too_many_keys: "A conta já tem {n} chaves ativas. Revogue uma que não usa mais.",
  export_running: "A exportação desta conta já está em andamento. Espere ela terminar.",
  // e-mail
  mail_not_configured: "Este servidor não está configurado para enviar e-mails.",
  // contacts
  list_name_required: "Informe o nome da lista.",
  import_failed: "Não foi possível importar o arquivo.",
  import_no_phone_column: "Coluna de telefone não encontrada.",
  import_empty: "Arquivo sem contatos.",
  import_too_many_rows: "O arquivo tem linhas demais: o limite é de um milhão.",
  import_unclosed_quote: "Aspas não fechadas na linha {line}.",
  import_unreadable_encoding: "Não foi possível reconhecer a codificação do arquivo. Escolha a codificação.",
  import_not_csv: "Este arquivo é {kind}. Envie CSV, Excel (.xlsx) ou contatos do celular (.vcf).",
  import_encrypted: "A planilha tem senha. Salve-a sem senha e envie de novo.",
  import_workbook_broken: "A planilha está danificada. Abra-a no Excel, salve de novo e envie.",
  import_workbook_too_large: "A planilha é grande demais. Salve só a tabela de contatos, como CSV.",
  import_several_sheets: "Há contatos em mais de uma aba: {sheets}. Escolha uma.",
  import_unsure_columns:
    "Não dá para saber qual destas colunas usar: {columns}. Deixe só uma, com o título Nome ou Telefone.",
  import_duplicate_header: "A coluna «{column}» aparece mais de uma vez.",
  import_split_phone:
    "O código do país ou o DDD está em coluna própria ({columns}). Junte tudo em uma coluna, como 55 31 90234-1187, e importe de novo.",
  import_file_gone: "O arquivo enviado não está mais no servidor. Escolha-o de novo.",
  import_list_gone: "Uma das listas escolhidas foi excluída. Escolha outra.",
  import_broken_names:
    "Nomes com caracteres ilegíveis: {count}. Por exemplo: {examples}. Confira a codificação do arquivo, ou importe mesmo assim.",
  import_undecided: "Falta decidir o que são algumas colunas do arquivo. Nada foi importado.",
  json_not_a_list: "Esperado uma lista de objetos com name e phone.",
  json_invalid: "JSON inválido na linha {line}, coluna {column}.",
  import_interrupted:
    "A importação foi interrompida e o arquivo não está mais no servidor. Envie o arquivo de novo.",
  upload_stalled: "O envio do arquivo parou no meio. Tente novamente.",
  contact_repeated: "Este telefone já está na lista.",
  phone_taken: "Este telefone já é de {name}.",
  field_in_use:
    "A campanha «{name}» ainda vai usar este campo. Cancele a campanha ou tire o campo do texto dela.",
  field_in_segment: "O segmento «{name}» usa este campo. Tire-o do segmento primeiro.",
  segment_in_use:
    "A campanha «{name}» ainda vai usar este segmento. Cancele a campanha ou tire-o do público dela.",
  too_many_segments: "A conta já tem {n} segmentos. Exclua um que não usa mais.",
  person_erased: "Os dados desta pessoa foram apagados a pedido. Só volte a guardá-la se ela pediu.",
  person_in_flight:
    "Uma mensagem da campanha «{campaign}» para esta pessoa está a caminho. Nada foi apagado: espere um minuto e tente de novo. Se a conexão estiver fora, conecte-a primeiro.",
  person_in_flight_direct:
    "Uma mensagem avulsa para esta pessoa está a caminho. Nada foi apagado: espere um minuto e tente de novo.",
  people_busy:
    "Uma importação ou um início de campanha está em andamento. Nada foi apagado: tente de novo quando terminar.",
  too_many_fields: "A conta já tem {n} campos. Remova um que não usa mais.",
  undo_too_late: "Não dá mais para desfazer.",
  phone_invalid: "Telefone inválido.",
  // attachments
  image_unsupported: "Use uma imagem JPG, PNG ou WebP, ou envie este arquivo como documento.",
  image_too_large: "A imagem passa de 16 MB.",
  image_too_many_pixels: "Imagem grande demais: use uma de até {n} megapixels.",
  image_corrupt: "Imagem corrompida.",
  attachment_empty: "O arquivo está vazio.",
  attachment_too_large: "O arquivo passa de {mb} MB, o limite para este tipo.",
  attachment_program: "Programas não são enviados: podem pôr em risco quem recebe e o seu número.",
  attachment_disguised: "O conteúdo de «{name}» não é o que o nome promete. Confira o arquivo.",
  attachment_name_required: "Dê um nome ao arquivo, com a terminação: por exemplo, boleto.pdf.",
  attachment_corrupt: "O arquivo está corrompido ou incompleto.",
  attachment_lost: "Este arquivo não está mais no servidor.",
  upload_offset: "O envio do arquivo continua de outro ponto. Tente de novo.",
  video_unsupported:
    "O WhatsApp só mostra vídeos MP4 com H.264, e este usa {is}. Converta o vídeo, ou envie como documento.",
  audio_unsupported:
    "O WhatsApp só toca áudios MP3, M4A e OGG, e este usa {is}. Converta o áudio, ou envie como documento.",
  voice_unsupported: "Só uma gravação em Opus vira mensagem de voz. Envie este arquivo como áudio.",
  // connections
  device_number_required: "Informe o número do WhatsApp com DDD.",
  device_not_connected: "Falha ao enviar mensagem para {phone}: a conexão não está conectada.",
  device_unknown: "Conexão não encontrada.",
  restored_held:
    "Os dados foram restaurados de uma cópia: nada é enviado nem conectado até o administrador liberar.",
  qr_not_ready: "Ainda não há QR code.",
  plan_risky: "Este plano passa do que recomendamos e põe o número em risco. Confirme para guardá-lo assim.",
  pairing_code_refused: "O Recado não sabe o número desta instância, de que o código precisa. Use o QR code.",
  url_forbidden: "Este endereço não é permitido.",
  url_private: "Endereço interno não permitido pelo administrador.",
  url_failed: "Não foi possível buscar o endereço.",
  idempotency_mismatch: "Esta chave de idempotência já foi usada com outro conteúdo.",
  idempotency_running: "A mesma requisição ainda está em andamento.",
  send_refused: "Falha ao enviar mensagem para {phone}: {reason}",
  send_uncertain: "Falha ao enviar mensagem para {phone}: {reason}",
  // chats
  chat_message_not_failed: "Esta mensagem não falhou: não há o que reenviar.",
  chat_message_not_scheduled: "Esta mensagem já foi enviada ou está sendo enviada.",
  message_not_at_whatsapp: "Esta mensagem ainda não chegou ao WhatsApp.",
  message_not_ours: "Só é possível apagar para todos o que foi enviado por você.",
  message_too_old_to_delete: "O WhatsApp só apaga para todos mensagens de até dois dias.",
  message_not_forwardable: "Só é possível encaminhar textos, fotos, vídeos, áudios e documentos.",
  received_file_absent: "O arquivo desta mensagem não está aqui. Use «Buscar de novo» e encaminhe outra vez.",
  chat_message_doubtful:
    "Não se sabe se esta mensagem chegou. Reenviar pode entregá-la duas vezes; confirme para reenviar mesmo assim.",
  // campaigns
  campaign_connection_required:
    "A conexão deste envio foi excluída. Cancele o envio e, com Reutilizar, escolha outra conexão.",
  campaign_no_default_connection: "Nenhuma conexão padrão. Escolha uma conexão.",
  campaign_list_empty:
    "A lista de contatos ficou vazia ou foi excluída. Cancele este envio e, com Reutilizar, escolha outra lista.",
  audience_gone:
    "Uma lista, um segmento ou uma campanha do público foi excluída. Cancele este envio e, com Reutilizar, reveja o público.",
  campaign_not_editable: "Esta campanha já foi iniciada e não pode ser alterada.",
  campaign_changed: "Esta campanha foi alterada depois que você a abriu.",
  campaign_wrong_state: "A campanha não está em um estado que permita esta ação.",
  campaign_reason_required: "Esta campanha parou para proteger o número. Diga por que ela deve continuar.",
  campaign_still_writing:
    "Ainda há mensagens desta campanha, ou de um reenvio dela, a caminho. Espere terminar ou cancele o envio.",
  campaign_nothing_to_resend: "Não há falhas para reenviar.",
  campaign_placeholders:
    "O texto tem trechos que sairiam como estão escritos: {list}. Troque por {nome} ou {primeiro_nome}, ou confirme para enviar assim mesmo.",
  delivery_already_resolved: "Este envio já foi resolvido.",
  delivery_awaited: "A confirmação do WhatsApp ainda pode chegar. Tente de novo em alguns minutos.",
  number_checks_refused: "Estes números não podem ser verificados agora por este WhatsApp.",
  monthly_limit_reached:
    "A conta chegou ao limite de {limit} mensagens deste mês. Quando o mês virar ou o administrador aumentar o limite, continue as campanhas pausadas.",
  person_opted_out: "Esta pessoa pediu para não receber campanhas. Nada foi enviado.",
  person_asks_to_leave:
    "Esta pessoa parece ter pedido para sair. Decida na conversa ou em Descadastrados. Nada foi enviado.",
  // gateways; `details.cause` of a failure says why (src/contract/gateways.ts)
  gateway_exists: "Este servidor já está cadastrado.",
  gateway_provided: "Este servidor é fornecido pelo administrador e não pode ser alterado aqui.",
  gateway_withdrawn: "Selecione uma evolution válida.",
  instances_fetch_failed: "Erro ao buscar instâncias. Verifique se a URL e API Key estão corretas.",
  instance_create_failed: "Erro ao criar instância. Verifique os dados.",
  instance_delete_failed: "Erro ao excluir instância. Tente novamente.",
  instance_taken: "Esta instância já está em uso.",
  picture_missing: "Esta instância não tem foto.",
  webhook_failed: "Erro ao configurar webhook. Tente novamente.",
  webhook_refused: "Erro ao configurar webhook",
  webhook_url_required: "Por favor, informe a URL do webhook",
  // gateways
  gateway_wrong_key: "O gateway recusou a chave de API. Confira a chave.",
  gateway_unreachable: "O gateway não respondeu. Confira o endereço e se o servidor está no ar.",
  gateway_failed: "O gateway respondeu com o erro {status}: {message}",
  gateway_database: "O gateway respondeu com o erro {status}: o banco de dados dele não está funcionando",
  gateway_garbage: "O endereço informado não respondeu como uma Evolution API responde. Confira o endereço.",
  license_required:
    "A licença deste gateway ainda não foi ativada. O responsável pelo servidor precisa ativá-la.",
  instance_name_taken: "Já existe uma instância com este nome neste gateway.",
  instance_unknown: "Esta instância não existe no gateway.",
  // agents at Mistral
  assistant_changed: "Outro robô foi vinculado a esta conexão depois que você a abriu.",
  mistral_no_key: "Nenhuma chave do Mistral foi informada. Cadastre a chave para usar robôs.",
  mistral_wrong_key: "O Mistral recusou a chave de API. Confira a chave e se a cota dela não acabou.",
  mistral_rate_limited:
    "O Mistral está limitando as requisições desta chave. Aguarde {seconds} s e tente novamente.",
  mistral_down: "O Mistral não está respondendo. Tente novamente em instantes.",
  mistral_refused: "O Mistral recusou a requisição: {reason}",
  mistral_garbage: "O endereço informado não respondeu como o Mistral responde. Confira o endereço.",
  mistral_no_answer:
    "O robô não deu resposta em palavras. Aqui ele não tem ferramentas, como uma busca na internet.",
  mistral_agent_missing: "Este robô não existe mais no Mistral, ou é de outra chave.",
};

export type FieldCode = keyof typeof FIELD_MESSAGES;

export type FieldError = CodedError<FieldCode>;

export type ErrorAnswer = {
  code: ErrorCode;
  error: string;
  fields?: Record<string, string>;
  details?: Record<string, unknown>;
};

const FAILURE_MESSAGES: Readonly<Record<FailureReason, string>> = {
  not_on_whatsapp: "este número não tem WhatsApp",
  no_devices: "o WhatsApp não informou nenhum aparelho deste número",
  no_session: "não foi possível criptografar a mensagem para este número",
  wa_463: "o WhatsApp não deixa este número escrever a esta pessoa agora (código 463)",
  gateway_too_large: "o servidor do gateway não aceita uma mensagem deste tamanho",
  file_too_large: "o arquivo passa do que um gateway transporta",
  file_lost: "o arquivo não está mais no servidor",
  gateway_refused: "o gateway recusou a mensagem",
  gateway_hidden: "o WhatsApp esconde o número deste contato, e o gateway não envia sem ele",
  answer_late: "a conexão ficou fora por tempo demais: a resposta do robô chegaria tarde e não foi enviada",
  answer_withdrawn:
    "a resposta do robô ainda não tinha saído quando uma pessoa respondeu, o contato pediu para sair ou o assistente foi desligado: não foi enviada",
  suspended: "a conta foi suspensa antes do envio: a mensagem não foi enviada",
  incomplete: "parte das mensagens foi enviada, e a campanha terminou antes das outras",
  unanswered:
    "o WhatsApp não respondeu sobre este número em nenhuma de várias tentativas, e respondeu sobre outros",
  interrupted: "o envio foi interrompido e o WhatsApp não o confirmou",
  no_ack: "o WhatsApp não confirmou este envio",
  connection_lost: "a conexão caiu durante o envio e o WhatsApp não o confirmou",
  gateway_timeout: "o gateway não respondeu a tempo, e a mensagem pode ter saído",
  gateway_cut: "a conexão com o gateway caiu durante o envio, e a mensagem pode ter saído",
  gateway_failed: "o gateway respondeu com um erro, e a mensagem pode ter saído",
  gateway_garbage: "o gateway deu uma resposta ilegível, e a mensagem pode ter saído",
  duplicate: "número repetido nesta campanha",
  cancelled: "campanha cancelada antes do envio",
  ignored: "ignorado por você",
  erased: "os dados desta pessoa foram apagados a pedido dela",
  opted_out: "este contato pediu para não receber mensagens",
  asked_to_leave: "este contato pareceu pedir para sair, e ninguém tinha decidido ainda",
  excluded_list: "está em uma lista que a campanha deixou de fora",
  got_campaign: "já recebeu, ou vai receber, uma campanha que esta deixou de fora",
  in_conversation: "conversou com a equipe há pouco",
  never_answers: "recebeu várias campanhas seguidas sem responder",
  weekly_limit: "já tem o máximo de campanhas da semana",
  known_absent: "não estava no WhatsApp na última consulta",
  land_line: "telefone fixo, deixado de fora",
  missing_value: "este contato não tinha um dos valores que o texto usa",
  arrived: "a mensagem do envio anterior chegou afinal",
};

const ANSWER_REASONS: Readonly<Record<AnswerReason, string>> = {
  human: "uma pessoa respondeu antes",
  newer: "chegou outra mensagem antes da resposta",
  inactive: "o assistente foi desativado",
  switched_off: "o assistente foi desligado nesta conversa",
  too_old: "a mensagem chegou com mais de 15 minutos de atraso",
  other_agent: "do outro lado também responde um assistente",
  other_connection: "o assistente da outra conexão deste número é quem responde",
  too_many: "já houve 20 respostas nesta conversa em uma hora",
  asked_too_often: "o robô já pensou em 60 mensagens desta conversa em uma hora",
  repeating: "a mesma mensagem se repete a cada resposta",
  day_limit:
    "a conta chegou ao limite de respostas de robôs por dia: a conversa fica para uma pessoa até amanhã",
  template_gone:
    "um modelo que o robô quis enviar ficou de fora: não está na biblioteca com esse nome, ou as instruções do robô não o citam",
  template_values:
    "um modelo que o robô quis enviar ficou de fora: falta a esta pessoa o valor de uma variável",
  rate_limited: "o Mistral está limitando as requisições desta chave",
  down: "o Mistral não respondeu",
  no_key: "nenhuma chave do Mistral foi informada",
  wrong_key: "o Mistral recusou a chave de API ou a cota dela acabou",
  agent_missing: "este robô não existe mais no Mistral, ou é de outra chave",
  refused: "o Mistral recusou a requisição",
  garbage: "o endereço informado não respondeu como o Mistral responde",
  empty: "o robô não deu resposta",
  interrupted: "a resposta foi interrompida",
};

/** Stands for a message without text in an agent's context. */
export const MEDIA_WORDS: Readonly<Record<Exclude<MessageKind, "text">, string>> = {
  image: "imagem",
  audio: "áudio",
  video: "vídeo",
  document: "documento",
  sticker: "figurinha",
  location: "localização",
  contact: "contato",
  reaction: "reação",
  vote: "voto",
  poll: "enquete",
  event: "evento",
  product: "produto",
  order: "pedido",
  payment: "pagamento",
  invite: "convite",
  other: "mensagem que não pode ser mostrada",
};

/** Sent once after an opt-out, unless the account has words of its own. */
export const OPT_OUT_CONFIRMATION =
  "Pronto: você não vai mais receber nossas campanhas por aqui. Se precisar de algo, é só escrever.";

export const PORTUGUESE = wordsIn<FieldCode>({
  numbers: "pt-BR",
  errors: ERROR_MESSAGES,
  fields: FIELD_MESSAGES,
  failures: FAILURE_MESSAGES,
  refusal: "o WhatsApp recusou a mensagem",
  refusals: {
    "400": "o WhatsApp não entendeu a mensagem",
    "401": "o WhatsApp não autorizou o envio para este número",
    "403": "o WhatsApp proíbe enviar para este número",
    "404": "o WhatsApp não encontrou este número",
    "405": "o WhatsApp não permite esta mensagem para este número",
    "406": "o WhatsApp não aceitou esta mensagem para este número",
    "410": "este número não está mais no WhatsApp",
    "413": "a mensagem é grande demais para o WhatsApp",
    "429": "o WhatsApp achou os envios rápidos demais",
    "463": "o WhatsApp não deixa seu número começar conversas novas agora",
    "479": "o WhatsApp recusou a entrega nos aparelhos deste contato",
  },
  refusalWithCode: (code, words = "o WhatsApp recusou a mensagem") => `${words} (código ${code})`,
  erasedPerson: "Pessoa apagada",
  failureLine: (phone, reason) => `Falha ao enviar mensagem para ${phone}: ${reason}`,
  answerReasons: ANSWER_REASONS,
  deliveries: PORTUGUESE_DELIVERIES,
  limits: {
    numbers: ["{n} número", "{n} números"],
    instances: ["{n} instância", "{n} instâncias"],
    lists: ["{n} lista de contatos", "{n} listas de contatos"],
    people: ["{n} contato nas listas", "{n} contatos nas listas"],
    deliveries: ["{n} envio guardado", "{n} envios guardados"],
    templates: ["{n} modelo de mensagem", "{n} modelos de mensagem"],
    waiting_imports: ["{n} importação em espera", "{n} importações em espera"],
    waiting_campaigns: [
      "{n} campanha agendada ou prestes a começar",
      "{n} campanhas agendadas ou prestes a começar",
    ],
    stored_bytes: ["{n} GB de arquivos", "{n} GB de arquivos"],
    letters_an_hour: ["{n} e-mail por hora", "{n} e-mails por hora"],
    agent_calls_a_day: ["{n} resposta de robôs por dia", "{n} respostas de robôs por dia"],
    operator_agents: ["{n} robô com a chave desta instalação", "{n} robôs com a chave desta instalação"],
    operator_instances: [
      "{n} instância nos servidores desta instalação",
      "{n} instâncias nos servidores desta instalação",
    ],
  },
  sameFile: (list) => `Este mesmo arquivo já foi importado na lista «${list}».`,
  sameName: (list) => `Já existe outra lista chamada «${list}».`,
  resendOf: (campaign, nth) => `${campaign} (reenvio${nth > 1 ? ` ${nth}` : ""})`,
  files: {
    contacts: ["Nome", "Telefone"],
    refused: ["Nome", "Telefone", "Motivo"],
    deliveriesName: "envios.csv",
    failuresName: "falhas.txt",
    deliveries: ["Nome", "Telefone", "Status", "Data do envio", "Erro"],
    messages: "Mensagens enviadas",
    messagesSent: (sent, all) => `${sent} de ${all}`,
    dates: "pt-BR",
    yes: "sim",
    no: "não",
    decimal: ",",
  },
});

/** For places without a known language: unread requests, machines, the operator's terminal. */
export const { errorText, fieldText } = PORTUGUESE;

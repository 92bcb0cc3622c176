export const riskText = {
  title: "Antes da primeira campanha",
  lead: "O WhatsApp pode bloquear o número que envia em massa, por um tempo ou para sempre. Leia isto uma vez:",
  consentTitle: "Só para quem aceitou.",
  consent:
    "As regras do WhatsApp pedem que a pessoa tenha dado o número dela a você e aceitado receber suas mensagens.",
  unofficialTitle: "Esta não é a via oficial.",
  unofficial:
    "O envio passa por um celular conectado, e o WhatsApp não autoriza automação por ele. Para grandes volumes, existe a API oficial do WhatsApp Business.",
  blockTitle: "Nada aqui garante contra o bloqueio.",
  block:
    "Intervalos maiores incomodam menos, mas não tornam o envio permitido. Se o número for bloqueado, só o WhatsApp pode devolvê-lo.",
  optOutTitle: "Quem pede para sair, sai.",
  optOut: "Respostas como SAIR tiram a pessoa das próximas campanhas.",
  policy: "Política de mensagens comerciais do WhatsApp",
  newTab: "(abre em outra aba)",
  accept: "Entendi, criar campanha",
  accepting: "Salvando...",
  failed: "Não foi possível continuar",
};

export const resetText = {
  ask: {
    title: "Esqueci minha senha",
    lead: "Diga o e-mail da sua conta. Enviamos um link para você definir outra senha.",
    button: "Enviar link",
    busy: "Enviando...",
    failed: "O link não foi enviado",
    loadFailed: "Não foi possível carregar esta página",
    sent: "Confira o seu e-mail",
    sentText: "Se houver uma conta com este e-mail, enviamos um link.",
    sentTo: (email: string) => `E-mail informado: ${email}`,
    sentHint:
      "O link vale por uma hora, e só uma vez. Se ele não chegar em alguns minutos, confira a caixa de spam.",
    other: "Informar outro e-mail",
    back: "Voltar para entrar",
    noMail: "Peça uma senha nova",
    noMailText:
      "Este servidor não envia e-mails. Quem o administra cria outra senha para você com este comando:",
    noMailHint:
      "Se é você quem administra: com um servidor de e-mail configurado, o link passa a ser enviado daqui.",
  },
  set: {
    title: "Definir nova senha",
    lead: "Escolha a senha com que você vai entrar. As sessões abertas desta conta terminam.",
    password: "Nova senha",
    confirm: "Confirmar nova senha",
    button: "Definir senha",
    busy: "Salvando...",
    failed: "A senha não foi definida",
    loadFailed: "Não foi possível conferir o link",
    over: "Este link não vale mais",
    overText: "Cada link vale por uma hora e só uma vez. Se a senha já foi trocada, entre com a nova.",
    again: "Pedir outro link",
    back: "Voltar para entrar",
  },
};

import { counted, formatNumber } from "./format.ts";

const perDay = (count: number) => counted(count, "conversa nova por dia", "conversas novas por dia");

export const numberPlanText = {
  open: "Plano do número",
  title: "Plano do número",
  back: "Voltar às conexões",
  since: (day: string) => `em uso desde ${day}`,
  edit: "Editar plano",
  failed: "Não foi possível carregar o plano",
  gone: { title: "Número não encontrado", text: "Ele foi excluído ou o endereço está errado." },
  none: {
    title: "Este número não tem plano.",
    text: "As campanhas saem no ritmo de cada uma, a qualquer hora, sem limite de conversas novas. É assim que números são bloqueados.",
    use: "Usar o plano recomendado",
    using: "Guardando...",
    saved: "Plano recomendado em uso",
    failed: "Não foi possível guardar o plano.",
  },
  states: {
    open: (until: string) => `Aberto até ${until}.`,
    closed: (until: string) => `Fora do horário. As campanhas continuam ${until}.`,
    resting: (until: string) => `Em descanso. As campanhas continuam ${until}.`,
    used_up: (until: string) =>
      `As conversas novas de hoje acabaram. Quem já conversou continua recebendo; as novas continuam ${until}.`,
    never_opens: "Nenhum dia está aberto: as campanhas deste número não saem.",
  },
  risks: "Este plano passa do recomendado e põe o número em risco:",
  today: {
    label: "Conversas novas hoje",
    of: (budget: number) => `de ${formatNumber(budget)}`,
    left: (count: number) => `Ainda hoje: ${formatNumber(count)}`,
    noLimit: "sem limite",
    used: (cold: number, all: number) => `${formatNumber(cold)} de ${formatNumber(all)}`,
  },
  warm: {
    label: "Quem já conversou",
    figure: "Sem limite",
    text: "Quem escreveu a este número, ou recebeu dele nos últimos 12 meses. Respostas nunca esperam.",
  },
  days: {
    title: "Conversas novas por dia",
    ramp: (from: number, to: number, days: number) =>
      from === to
        ? `${formatNumber(to)} por dia até você mudar`
        : `De ${formatNumber(from)} a ${formatNumber(to)} em ${formatNumber(days)} dias, depois ${formatNumber(to)} até você mudar`,
    sent: "Começadas",
    limit: "Limite do dia",
    day: (day: string, cold: number | null, budget: number) =>
      budget === 0 && !cold
        ? `${day}: fechado`
        : cold === null
          ? `${day}: até ${perDay(budget)}`
          : `${day}: ${formatNumber(cold)} de ${formatNumber(budget)}`,
  },
  hours: {
    title: "Dias e horários",
    holidaysOff: "Feriados nacionais: não envia.",
    holidaysOn: "Feriados nacionais: envia.",
    perWeek: (hours: string) => `${hours} h por semana`,
    closed: "fechado",
    from: (from: string, to: string) => `das ${from} às ${to}`,
    weekdays: ["Segunda", "Terça", "Quarta", "Quinta", "Sexta", "Sábado", "Domingo"],
    short: ["seg", "ter", "qua", "qui", "sex", "sáb", "dom"],
  },
  pace: {
    title: "Ritmo",
    estimate: "estimativa",
    cold: { label: "Entre conversas novas", why: "Rajadas a desconhecidos são o que mais leva a bloqueio" },
    warm: { label: "Entre quem já conversou", why: "Mais curto: há conversa dos dois lados" },
    rest: { label: "Descanso", why: (after: number) => `Depois de cada ${formatNumber(after)} mensagens` },
    noRest: "sem descanso",
    seconds: "s",
    minutes: "min",
    source:
      "O WhatsApp não publica estes limites. São estimativas a partir de relatos de números restritos; uma campanha mais lenta vale mais.",
  },
  uses: {
    title: "Quem usou hoje",
    single: "Mensagens avulsas",
    free: "Livres",
    nothing: "Nenhuma conversa nova hoje.",
  },
  form: {
    title: "Editar plano",
    save: "Guardar plano",
    saving: "Guardando...",
    saved: "Plano guardado",
    failed: "Não foi possível guardar o plano.",
    hours: "Dias e horários",
    from: (day: string) => `${day}: das`,
    to: (day: string) => `${day}: às`,
    holidays: "Não enviar em feriados nacionais",
    budget: "Conversas novas por dia",
    since: "Uso este número desde",
    sinceHint: "Um número novo começa com menos conversas novas.",
    rampFrom: "No primeiro dia",
    rampTo: "Depois da rampa",
    rampDays: "Dias de rampa",
    gaps: "Ritmo",
    coldLeast: "Entre conversas novas, de (s)",
    coldMost: "até (s)",
    warmLeast: "Entre quem já conversou, de (s)",
    warmMost: "até (s)",
    rests: "Descansar de tempos em tempos",
    restAfter: "Depois de quantas mensagens",
    restLeast: "Descanso de (min)",
    restMost: "até (min)",
    number: "Digite um número inteiro.",
    between: (least: number, most: number) => `Digite de ${formatNumber(least)} a ${formatNumber(most)}.`,
    order: "Não pode ser menor que o início.",
    time: "Digite uma hora, como 08:00.",
    ends: "Tem de ser depois do início.",
    day: "Digite uma data.",
    drop: "Usar sem plano",
  },
  risky: {
    question: "Guardar além do recomendado?",
    text: "Números que passam destes limites são restritos ou banidos com mais frequência. Isto fica escrito nas atividades.",
    verb: "Guardar assim",
    saving: "Guardando...",
    failed: "Não foi possível guardar o plano.",
    back: "Rever o plano",
    each: {
      no_plan: "Sem horários, sem limite de conversas novas e sem ritmo próprio",
      cold_per_day: "Mais de 150 conversas novas por dia",
      ramp: "Número novo com rampa mais curta ou mais íngreme que de 20 a 150 em 14 dias",
      cold_gap: "Menos de 45 a 120 segundos entre conversas novas",
      warm_gap: "Menos de 8 a 25 segundos entre quem já conversou",
      rest: "Menos descanso que 10 minutos depois de cada 30 mensagens",
      night: "Envios entre 22h e 7h",
    },
  },
};

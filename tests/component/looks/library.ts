import { attachment, template } from "../support/rows.ts";
import { button, press } from "../support/screen.ts";
import { opened, pressing, type Row, type Screen, screenOf } from "../support/screens.ts";
import { world } from "../support/world.ts";

const LONG = "Lembrete da consulta com a equipe de retorno da manhã inteira";
const libraryWorld = () =>
  world({
    templates: [
      template({ attachment: attachment({ kind: "document", name: "Preparo para o exame de vista.pdf" }) }),
      template({
        name: LONG,
        attachment: attachment({ kind: "document", name: `${LONG}.pdf`, bytes: 204_800 }),
        text: "> Oi, {nome}!\n*Sua consulta* é _amanhã_:\n- Traga `RG`\n- https://clinica.exemplo.com.br/_a_\n\nAté lá!",
      }),
    ],
  });

const ROWS: Row[] = [
  ["library", "/mensagens", "Lembrete de consulta"],
  ["library-nothing", "/mensagens?busca=xyz", "Nenhum modelo com «xyz»"],
  [
    "library-empty",
    "/mensagens",
    "Guarde as mensagens que você usa sempre",
    undefined,
    {
      prepare: ({ world: state }) => {
        state.templates = [];
      },
    },
  ],
  ["template-new", "/mensagens", "Lembrete de consulta", pressing("Novo modelo", "Salvar modelo")],
  ["template-edit", "/mensagens", "Lembrete de consulta", pressing(`Editar o modelo ${LONG}`)],
  ["template-remove", "/mensagens", "Lembrete de consulta", pressing(`Excluir o modelo ${LONG}`)],
  [
    "template-pick",
    "/campaigns/new",
    "Usar da biblioteca",
    async () => {
      await press("Usar da biblioteca");
      await button(/^Lembrete de consulta/, opened()).findElement();
    },
  ],
];

export const SCREENS: Screen[] = ROWS.map(screenOf(libraryWorld));

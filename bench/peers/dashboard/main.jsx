import { StrictMode, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { createBrowserRouter, NavLink, Outlet, RouterProvider, useLoaderData } from "react-router";
import { CartesianGrid, Line, LineChart, ResponsiveContainer, Tooltip, XAxis, YAxis } from "recharts";
import "../../../src/web/styles/styles.css";
import shell from "../../../src/web/shell/shell.module.css";
import card from "../../../src/web/ui/card.module.css";
import page from "../../../src/web/ui/page.module.css";

// An ordinary dashboard of React, a router and Recharts, which asks its server one question. `/` asks it in the router's loader, as React
// Router's guide has it: all is painted together. `/title-first` asks it in an effect and paints its title meanwhile. Our style sheet and
// font, so that nothing but how it is made differs.

const SCREENS = ["Painel de Controle", "Campanhas", "Contatos", "Conversas", "Configurações"];

function Layout() {
  return (
    <div className={shell.app}>
      <nav>
        {SCREENS.map((name, at) => (
          <NavLink key={name} to={at === 0 ? "/" : `/${at}`}>
            {name}
          </NavLink>
        ))}
      </nav>
      <Outlet />
    </div>
  );
}

const ask = async (signal) => (await fetch("/dashboard.json", { signal })).json();

function Loaded() {
  return <Dashboard data={useLoaderData()} />;
}

function TitleFirst() {
  const [data, setData] = useState(null);
  useEffect(() => {
    const leaving = new AbortController();
    ask(leaving.signal).then(setData, () => undefined);
    return () => leaving.abort();
  }, []);
  return <Dashboard data={data} />;
}

function Dashboard({ data }) {
  return (
    <main className={page.page}>
      <div className={page.pageHead}>
        <div>
          <h1>Painel de Controle</h1>
          <p>{data ? `${data.campaigns.length} campanhas nos últimos 30 dias.` : "Carregando..."}</p>
        </div>
      </div>
      {data && (
        <>
          <Figures figures={data.figures} />
          <Chart days={data.days} />
          <Campaigns campaigns={data.campaigns} />
        </>
      )}
    </main>
  );
}

function Figures({ figures }) {
  return (
    <div style={{ display: "grid", gridTemplateColumns: "repeat(4, 1fr)" }}>
      {figures.map(({ name, value }) => (
        <div key={name} className={card.card}>
          <p>{name}</p>
          <strong>{value.toLocaleString("pt-BR")}</strong>
        </div>
      ))}
    </div>
  );
}

function Chart({ days }) {
  return (
    <div className={card.card}>
      <h2>Envios por dia</h2>
      <ResponsiveContainer width="100%" height={280}>
        <LineChart data={days}>
          <CartesianGrid strokeDasharray="3 3" />
          <XAxis dataKey="day" />
          <YAxis />
          <Tooltip />
          <Line dataKey="sent" stroke="#128c5a" isAnimationActive={false} />
          <Line dataKey="read" stroke="#3b82f6" isAnimationActive={false} />
        </LineChart>
      </ResponsiveContainer>
    </div>
  );
}

function Campaigns({ campaigns }) {
  return (
    <table>
      <thead>
        <tr>
          {["Campanha", "Situação", "Enviadas", "Lidas", "Erros"].map((name) => (
            <th key={name}>{name}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {campaigns.map(({ id, name, status, sent, read, errors }) => (
          <tr key={id}>
            <td>{name}</td>
            <td>{status}</td>
            <td>{sent}</td>
            <td>{read}</td>
            <td>{errors}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

const router = createBrowserRouter([
  {
    path: "/",
    Component: Layout,
    HydrateFallback: () => null,
    children: [
      { index: true, loader: ({ request }) => ask(request.signal), Component: Loaded },
      { path: "title-first", Component: TitleFirst },
    ],
  },
]);

createRoot(document.getElementById("root")).render(
  <StrictMode>
    <RouterProvider router={router} />
  </StrictMode>,
);

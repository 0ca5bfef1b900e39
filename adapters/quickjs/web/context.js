  // The second argument of a function. Its data has the API of PocketBase's client.
  class ClientResponseError extends Error {
    constructor(status, response) {
      super(String(response?.message ?? "the request failed with status " + status));
      this.name = "ClientResponseError";
      this.status = status;
      this.response = response;
    }
  }
  const segment = (text) => encodeURIComponent(String(text));
  const quoted = (value) => {
    if (typeof value === "string") return '"' + value.replace(/\\/g, "\\\\").replace(/"/g, '\\"') + '"';
    if (value instanceof Date) return '"' + value.toISOString().replace("T", " ") + '"';
    return value === null || typeof value === "number" || typeof value === "boolean" ? String(value) : quoted(JSON.stringify(value));
  };

  const dataFor = (admin) => {
    const send = async (path, { method = "GET", query = {}, headers = {}, body } = {}) => {
      const pairs = Object.entries(query).filter(([, value]) => value !== undefined && value !== null);
      const url = String(path) + (pairs.length ? "?" + new URLSearchParams(pairs) : "");
      const content = body === undefined ? null : typeof body === "string" ? body : JSON.stringify(body);
      const header = [...new Headers(content === null ? headers : { "content-type": "application/json", ...headers })];
      const answer = await ask("data", { method, url, header, admin }, content);
      const text = decode(answer.content);
      let value = null;
      try {
        value = text === "" ? null : JSON.parse(text);
      } catch {
        value = text;
      }
      if (answer.head.status >= 400) throw new ClientResponseError(answer.head.status, value);
      return value;
    };
    const collection = (name) => {
      const records = "/api/collections/" + segment(name) + "/records";
      const getList = (page = 1, perPage = 30, query = {}) => send(records, { query: { page, perPage, ...query } });
      return Object.freeze({
        getList,
        async getFullList(query = {}) {
          const all = [];
          for (let page = 1; ; page++) {
            const { items } = await getList(page, 500, { skipTotal: 1, ...query });
            all.push(...items);
            if (items.length < 500) return all;
          }
        },
        async getFirstListItem(filter, query = {}) {
          const { items } = await getList(1, 1, { skipTotal: 1, filter, ...query });
          if (items.length === 0) throw new ClientResponseError(404, { message: "The requested resource wasn't found." });
          return items[0];
        },
        getOne: (id, query = {}) => send(records + "/" + segment(id), { query }),
        create: (body, query = {}) => send(records, { method: "POST", body, query }),
        update: (id, body, query = {}) => send(records + "/" + segment(id), { method: "PATCH", body, query }),
        delete: async (id) => { await send(records + "/" + segment(id), { method: "DELETE" }); return true; },
      });
    };
    const filter = (text, values = {}) => String(text).replace(/\{:(\w+)\}/g, (all, name) => (name in values ? quoted(values[name]) : all));
    return { collection, send, filter };
  };

  const contextOf = ({ user, secrets }) => Object.freeze({
    user,
    secrets: Object.freeze(secrets),
    data: Object.freeze({ ...dataFor(false), admin: Object.freeze(dataFor(true)) }),
    fetch,
    mail: async (to, subject, text) => { await ask("mail", { to: String(to), subject: String(subject), text: String(text) }); },
    ai: async (prompt, options = {}) => (await ask("ai", { prompt: String(prompt), options: { system: options.system, maxTokens: options.maxTokens } })).head,
    log: write("info"),
  });

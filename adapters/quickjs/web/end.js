  const fail = (reason) => {
    let name = "", message = "", stack = "";
    try {
      if (reason instanceof Error) {
        name = String(reason.name);
        message = String(reason.message);
        stack = String(reason.stack ?? "");
      } else {
        message = describe(reason);
      }
    } catch {
      message = "an exception that cannot be shown";
    }
    host("fail", "thrown", (name ? name + ": " + message : message).slice(0, MAX_LINE), stack.slice(0, MAX_LINE));
  };

  // run calls the function that a script exports.
  const run = async (script, headText, body) => {
    const head = JSON.parse(headText);
    const module = { exports: {} };
    script.call(undefined, module, module.exports);
    const exported = module.exports.default ?? module.exports;
    const answers = typeof exported === "function" ? exported : typeof exported?.fetch === "function" ? (...args) => exported.fetch(...args) : null;
    if (!answers) return host("fail", "invalid", "the file exports no function: write `export default async (req: Request, ctx) => Response`", "");
    const request = new Request(head.url, { method: head.method, headers: head.header, body: body === "" ? undefined : fromBase64(body) });
    const answer = await answers(request, contextOf(head));
    const parts = typeof answer === "object" && answer !== null ? partsOf(answer) : null;
    if (!parts) return host("fail", "invalid", "the function returned " + describe(answer).slice(0, 200) + ", want a Response", "");
    const text = typeof parts.content === "string";
    host("respond", parts.status, JSON.stringify([...Headers.prototype.entries.call(parts.headers)]), text, parts.content === null ? "" : text ? parts.content : toBase64(parts.content));
  };

  return (what, ...args) => {
    switch (what) {
      case "run": run(...args).catch(fail); break;
      case "settle": settle(...args); break;
      case "fire": try { fire(...args); } catch (thrown) { fail(thrown); } break;
    }
  };
})()

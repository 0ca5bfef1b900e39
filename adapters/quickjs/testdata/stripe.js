// Verifies a webhook of Stripe: https://docs.stripe.com/webhooks#verify-manually
const tolerance = 300;

const verify = async (body, header, secret, now) => {
  const parts = header.split(",").map((part) => part.split("=", 2));
  const time = parts.find(([name]) => name === "t")?.[1];
  const signatures = parts.filter(([name]) => name === "v1").map(([, hex]) => hex);
  if (!time || Math.abs(now - Number(time)) > tolerance) return false;
  const text = new TextEncoder();
  const key = await crypto.subtle.importKey("raw", text.encode(secret), { name: "HMAC", hash: "SHA-256" }, false, ["verify"]);
  for (const hex of signatures) {
    const signature = Uint8Array.from(hex.match(/../g) ?? [], (pair) => parseInt(pair, 16));
    if (await crypto.subtle.verify("HMAC", key, signature, text.encode(`${time}.${body}`))) return true;
  }
  return false;
};

exports.default = async (req, ctx) => {
  const body = await req.text();
  const header = req.headers.get("stripe-signature") ?? "";
  if (!(await verify(body, header, ctx.secrets.STRIPE_WEBHOOK_SECRET, Number(ctx.secrets.STRIPE_NOW)))) {
    return new Response("wrong signature", { status: 400 });
  }
  return Response.json({ received: JSON.parse(body).type });
};

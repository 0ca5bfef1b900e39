// The page behind the links in mails to end users. It confirms an address, sets a new
// password, or changes an address. The token is in the fragment, so it is never logged.
const texts = {
  en: {
    verification: ["Confirm your address", "Confirm", "Your address is confirmed. You can close this page."],
    password: ["Choose a new password", "Set the password", "Your password is changed. Sign in with it now."],
    email: ["Confirm your new address", "Confirm", "Your address is changed. Sign in with it now."],
    newPassword: "New password",
    again: "New password, again",
    current: "Your password",
    differ: "The two passwords differ.",
    expired: "This link is not valid, or no longer. Ask for a new mail.",
    wrong: "That did not work. Check your password, or ask for a new mail.",
    later: "The application cannot be reached at the moment. Try again.",
    home: "Go to the application",
  },
  de: {
    verification: ["Bestätigen Sie Ihre Adresse", "Bestätigen", "Ihre Adresse ist bestätigt. Sie können diese Seite schließen."],
    password: ["Wählen Sie ein neues Passwort", "Passwort setzen", "Ihr Passwort ist geändert. Melden Sie sich jetzt damit an."],
    email: ["Bestätigen Sie Ihre neue Adresse", "Bestätigen", "Ihre Adresse ist geändert. Melden Sie sich jetzt damit an."],
    newPassword: "Neues Passwort",
    again: "Neues Passwort, noch einmal",
    current: "Ihr Passwort",
    differ: "Die beiden Passwörter sind verschieden.",
    expired: "Dieser Link ist nicht gültig oder nicht mehr. Fordern Sie eine neue Mail an.",
    wrong: "Das hat nicht geklappt. Prüfen Sie Ihr Passwort, oder fordern Sie eine neue Mail an.",
    later: "Die Anwendung ist gerade nicht erreichbar. Versuchen Sie es noch einmal.",
    home: "Zur Anwendung",
  },
};
const language = navigator.language.startsWith("de") ? "de" : "en";
const words = texts[language];
const kind = location.pathname.split("/").pop();
const actions = { verification: "confirm-verification", password: "confirm-password-reset", email: "confirm-email-change" };
const token = location.hash.slice(1);
const at = (id) => document.getElementById(id);

// collectionOf returns the auth collection that a token belongs to.
function collectionOf(token) {
  try {
    const claims = token.split(".")[1].replaceAll("-", "+").replaceAll("_", "/");
    return JSON.parse(atob(claims)).collectionId;
  } catch {
    return "";
  }
}

function say(text) {
  at("text").textContent = text;
}

// end replaces the form by a message and a link.
function end(text) {
  say(text);
  at("form").remove();
  const home = document.createElement("a");
  home.href = "/";
  home.textContent = words.home;
  at("text").after(home);
}

async function confirm(collection) {
  const password = at("password")?.value;
  const body = { token };
  if (kind === "password") {
    if (password !== at("again").value) {
      return say(words.differ);
    }
    body.password = body.passwordConfirm = password;
  } else if (kind === "email") {
    body.password = password;
  }
  let answer;
  try {
    answer = await fetch(`/_data/collections/${encodeURIComponent(collection)}/${actions[kind]}`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
  } catch {
    return say(words.later);
  }
  if (answer.ok) {
    return end(words[kind][2]);
  }
  say(answer.status >= 500 || answer.status === 429 ? words.later : kind === "verification" ? words.expired : words.wrong);
}

function show() {
  document.documentElement.lang = language;
  const [title, button] = words[kind];
  document.title = at("title").textContent = title;
  const collection = collectionOf(token);
  if (!collection) {
    return end(words.expired);
  }
  const form = at("form");
  const fill = (id, text) => (text ? (at(id).querySelector("span").textContent = text) : at(id).remove());
  fill("passwordLabel", { password: words.newPassword, email: words.current }[kind]);
  fill("againLabel", kind === "password" && words.again);
  if (kind === "email") {
    at("password").autocomplete = "current-password";
  } else if (kind === "password") {
    at("password").autocomplete = "new-password";
  }
  form.querySelector("button").textContent = button;
  form.hidden = false;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    form.querySelector("button").disabled = true;
    try {
      await confirm(collection);
    } finally {
      const again = document.querySelector("button");
      if (again) {
        again.disabled = false;
      }
    }
  });
}

show();

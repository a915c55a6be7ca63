/* Requests to our own server. A failure is an Error with `status` (0 = no answer) and, if there is one, the problem object. */

const meta = document.querySelector("meta[name=csrf-token]");

/* The cookie first: after signing in again in another tab it is newer than the page. */
function csrfToken() {
  const name = document.getElementById("editor")?.dataset.csrfCookie;
  return document.cookie.split("; ").find((each) => each.startsWith(`${name}=`))?.slice(name.length + 1) ?? meta.content;
}

export class Failed extends Error {
  constructor(status, problem) {
    super(problem?.detail ?? (status ? `The server answered ${status}.` : "The server is not responding."));
    this.status = status;
    this.problem = problem;
  }

  get offline() { return this.status === 0 || this.status === 502 || this.status === 503 || this.status === 504; }
  get busy() { return this.status === 429; }
  get signedOut() { return this.problem?.code === "signed-out" || (this.status === 403 && !this.problem); }
}

export async function send(method, url, body, { signal } = {}) {
  let response;
  try {
    response = await fetch(url, {
      method,
      signal,
      headers: { Accept: "application/json", "Content-Type": "application/json", "X-CSRFToken": csrfToken() },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failed(0);
  }
  const json = response.headers.get("Content-Type")?.includes("json") ? await response.json() : undefined;
  if (!response.ok || json === undefined) throw new Failed(response.ok ? 403 : response.status, json);
  return json;
}

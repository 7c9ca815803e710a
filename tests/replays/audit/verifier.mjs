// A second verifier of bundles, written from docs/format.md and docs/audit.md alone. No packages; WebCrypto only, so that
// a page can use it as it is. It checks framing, the log's signature, size, root, canonical form, numbers, links, and the
// dice of every chain. It prints a line of JSON a file: {"file", "ok", "code", "seq"}.
//
//     node verifier.mjs VKEY FILE...

const utf8 = new TextEncoder();
const text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
const SECTIONS = ["meta", "events", "checkpoint", "global", "tsr", "names"];
const ZEROS = "0".repeat(64);

class Refused extends Error {
  constructor(code, seq = 0) {
    super(code);
    this.code = code;
    this.seq = seq;
  }
}

// --- bytes -----------------------------------------------------------------------------------------------------------

const join = (...parts) => {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
};
const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
const unhex = (digits, bytes) => {
  if (typeof digits !== "string" || !new RegExp(`^[0-9a-f]{${2 * bytes}}$`).test(digits)) throw new Error("hex");
  return Uint8Array.from(digits.match(/../g) ?? [], (pair) => parseInt(pair, 16));
};
const u32 = (number) => {
  if (!Number.isInteger(number) || number < 0 || number > 0xffffffff) throw new Error("u32");
  return Uint8Array.of(number >>> 24, number >>> 16, number >>> 8, number);
};
const same = (a, b) => a.length === b.length && a.every((byte, at) => byte === b[at]);
const base64 = (word) => {
  const bytes = Uint8Array.from(atob(word), (sign) => sign.charCodeAt(0));
  if (btoa(String.fromCharCode(...bytes)) !== word) throw new Error("base64");
  return bytes;
};
const sha256 = async (...parts) => new Uint8Array(await crypto.subtle.digest("SHA-256", join(...parts)));
const hmac = async (key, ...parts) => {
  const secret = await crypto.subtle.importKey("raw", key, { name: "HMAC", hash: "SHA-256" }, false, ["sign"]);
  return new Uint8Array(await crypto.subtle.sign("HMAC", secret, join(...parts)));
};

// --- canonical JSON --------------------------------------------------------------------------------------------------

const written = (value) => {
  if (value === null || typeof value === "boolean") return String(value);
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value)) throw new Error("number");
    return String(value);
  }
  if (typeof value === "string") return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(written).join(",")}]`;
  const keys = Object.keys(value).sort();
  if (!keys.every((key) => /^[A-Za-z0-9_-]{1,40}$/.test(key))) throw new Error("key");
  return `{${keys.map((key) => `${JSON.stringify(key)}:${written(value[key])}`).join(",")}}`;
};

const canonical = (bytes) => {
  if (bytes.length > 65000) throw new Error("too long");
  const line = text.decode(bytes);
  const value = JSON.parse(line);
  if (value === null || typeof value !== "object" || Array.isArray(value) || written(value) !== line) {
    throw new Error("not canonical");
  }
  return value;
};

// --- the file and its note -------------------------------------------------------------------------------------------

const sections = (data) => {
  const first = utf8.encode("wlog-bundle/1\n");
  if (!same(data.subarray(0, first.length), first)) throw new Refused("E-BUNDLE");
  const found = {};
  let at = first.length;
  for (const name of SECTIONS) {
    const end = data.indexOf(10, at);
    const head = end < 0 ? "" : String.fromCharCode(...data.subarray(at, end));
    const match = /^([a-z]{1,16}) (0|[1-9][0-9]{0,9})$/.exec(head);
    if (match === null || match[1] !== name) throw new Refused("E-BUNDLE");
    const start = end + 1;
    const stop = start + Number(match[2]);
    if (data[stop] !== 10) throw new Refused("E-BUNDLE");
    found[name] = data.subarray(start, stop);
    at = stop + 1;
  }
  if (!same(data.subarray(at), utf8.encode("end\n"))) throw new Refused("E-BUNDLE");
  return found;
};

const claims = (section) => {
  try {
    const meta = canonical(section);
    const kinds = Object.entries(meta).map(([name, value]) => `${name} ${Array.isArray(value) ? "list" : typeof value}`);
    const wanted = "battle string,closed boolean,cosigners list,host string,rules string";
    if (kinds.join() !== wanted || !/^[0-9a-f]{32}$/.test(meta.battle)) throw new Error("meta");
    return meta;
  } catch {
    throw new Refused("E-BUNDLE");
  }
};

const lines = (section) => {
  const found = [];
  for (let at = 0; at < section.length; ) {
    const end = section.indexOf(10, at);
    if (end < 0) throw new Refused("E-BUNDLE");
    found.push(section.subarray(at, end));
    at = end + 1;
  }
  return found;
};

const keyOf = async (vkey) => {
  const [, name, id, word] = /^([^+\s]+)\+([0-9a-f]{8})\+(\S+)$/.exec(vkey);
  const typed = base64(word);
  const hash = await sha256(utf8.encode(`${name}\n`), typed);
  if (hex(hash.subarray(0, 4)) !== id || typed[0] !== 1 || typed.length !== 33) throw new Error("vkey");
  const key = await crypto.subtle.importKey("raw", typed.subarray(1), "Ed25519", false, ["verify"]);
  return { name, id, key };
};

const head = async (note, trusted) => {
  try {
    const whole = text.decode(note);
    const gap = whole.lastIndexOf("\n\n");
    const signed = whole.slice(0, gap + 1);
    if (gap < 0 || !whole.endsWith("\n")) throw new Error("note");
    let good = 0;
    for (const line of whole.slice(gap + 2, -1).split("\n")) {
      const [, name, word] = /^\u2014 ([^\s+]+) (\S+)$/.exec(line);
      const blob = base64(word);
      if (name !== trusted.name || hex(blob.subarray(0, 4)) !== trusted.id) continue;
      const holds = await crypto.subtle.verify("Ed25519", trusted.key, blob.subarray(4), utf8.encode(signed));
      if (!holds || ++good > 1) throw new Error("signature");
    }
    const [origin, size, root, rest, ...more] = signed.split("\n");
    if (good !== 1 || rest !== "" || more.length || !/^(0|[1-9][0-9]{0,15})$/.test(size)) throw new Error("lines");
    return { origin, size: Number(size), root: base64(root) };
  } catch {
    throw new Refused("E-CHECKPOINT");
  }
};

const rootOver = async (leaves) => {
  const peaks = [];
  for (const [at, leaf] of leaves.entries()) {
    let node = leaf;
    for (let n = at; n & 1; n >>= 1) node = await sha256(Uint8Array.of(1), peaks.pop(), node);
    peaks.push(node);
  }
  let node = peaks.pop() ?? (await sha256());
  while (peaks.length) node = await sha256(Uint8Array.of(1), peaks.pop(), node);
  return node;
};

// --- dice ------------------------------------------------------------------------------------------------------------

const FACES = [2, 3, 4, 6, 8, 10, 12, 20, 100];

const linkBefore = (battle, party, epoch, index, link) =>
  sha256(utf8.encode("wlog/v1/link\n"), battle, Uint8Array.of(party), u32(epoch), u32(index), link);

const stream = async (key, throws) => {
  const faces = [];
  let block = [];
  let blocks = 0;
  for (const { sides, faces: stood } of throws) {
    if (!FACES.includes(sides) || stood.length < 1) throw new Error("dice");
    for (let n = 0; n < stood.length; ) {
      if (block.length === 0) block = [...(await hmac(key, utf8.encode("wlog/v1/dice\n"), u32(blocks++)))];
      const byte = block.shift();
      if (byte >= 256 - (256 % sides)) continue;
      faces.push((byte % sides) + 1);
      n += 1;
    }
  }
  return faces;
};

const throwsIn = (batch) => batch.flatMap(({ body }) => (Array.isArray(body.dice) ? body.dice : []));

const checkDice = async (trail, batch) => {
  for (const { type, body, seq, battle } of batch) {
    if (type === "BranchOpened") Object.assign(trail, { branch: body.dice, epoch: 0, used: 0 });
    if (type === "DiceAnchored") Object.assign(trail, { epoch: body.epoch, used: 0, link: unhex(body.anchor, 32) });
    if (type !== "DiceDrawn") continue;
    if (body.epoch !== trail.epoch || body.index !== trail.used + 1) throw new Refused("E-DICE-INDEX", seq);
    const id = unhex(battle, 16);
    const link = unhex(body.link, 32);
    if ((body.source === "whatif") !== (trail.branch !== "")) throw new Refused("E-DICE-LINK", seq);
    if (body.source !== "whatif") {
      if (body.index > 4096) throw new Refused("E-DICE-LINK", seq);
      const before = await linkBefore(id, 0, body.epoch, body.index, link);
      if (!same(before, trail.link)) throw new Refused("E-DICE-LINK", seq);
    }
    Object.assign(trail, { used: body.index, link });
    if (body.source === "forfeit" || trail.branch === "recorded") continue;
    const shares = body.contributors.flatMap((share) => [Uint8Array.of(share.party), unhex(share.link, 32)]);
    const count = Uint8Array.of(body.contributors.length);
    const where = [id, u32(body.epoch), u32(body.index), count, ...shares];
    const key = body.source === "whatif" ? link : await hmac(link, utf8.encode("wlog/v1/roll\n"), ...where);
    const gives = await stream(key, throwsIn(batch));
    for (const entry of batch) {
      const stood = throwsIn([entry]).flatMap((one) => one.faces);
      if (gives.splice(0, stood.length).join() !== stood.join()) throw new Refused("E-DICE-VALUE", entry.seq);
    }
  }
};

// --- all of it -------------------------------------------------------------------------------------------------------

const verified = async (data, trusted) => {
  const file = sections(data);
  const meta = claims(file.meta);
  const entries = lines(file.events);
  const { origin, size, root } = await head(file.checkpoint, trusted);
  if (origin !== `${meta.host}/battle/${meta.battle}` || trusted.name !== meta.host) throw new Refused("E-ORIGIN");
  if (size !== entries.length) throw new Refused("E-SIZE");
  const leaves = [];
  for (const entry of entries) leaves.push(await sha256(Uint8Array.of(0), entry));
  if (!same(await rootOver(leaves), root)) throw new Refused("E-ROOT");
  const trail = { branch: "", epoch: -1, used: 0, link: new Uint8Array() };
  let batch = [];
  let prev = ZEROS;
  let battle = "";
  let rules = "";
  for (const [at, entry] of entries.entries()) {
    let doc;
    try {
      doc = canonical(entry);
    } catch {
      throw new Refused("E-CANON", at + 1);
    }
    if (at && doc.battle !== battle && doc.type !== "BranchOpened") throw new Refused("E-BATTLE", at + 1);
    if (doc.seq !== at + 1) throw new Refused("E-SEQ", at + 1);
    if (doc.prev !== prev) throw new Refused("E-PREV", at + 1);
    if ((at === 0) !== (doc.type === "BattleStarted")) throw new Refused("E-START", at + 1);
    if (at === 0) rules = doc.body.rules;
    if (batch.length && doc.action !== batch[0].action) {
      await checkDice(trail, batch);
      batch = [];
    }
    batch.push(doc);
    battle = doc.battle;
    prev = hex(leaves[at]);
  }
  await checkDice(trail, batch);
  if (battle !== meta.battle) throw new Refused("E-BATTLE", entries.length);
  const ended = batch[0]?.type === "BattleClosed";
  if (rules !== meta.rules) throw new Refused("E-RULES");
  if (!ended) throw new Refused("E-OPEN");
  if (meta.closed !== ended) throw new Refused("E-BUNDLE");
};

export const verify = async (data, vkey) => {
  const trusted = await keyOf(vkey);
  try {
    await verified(data, trusted);
    return { ok: true, code: "", seq: 0 };
  } catch (no) {
    return { ok: false, code: no instanceof Refused ? no.code : "E-FORMAT", seq: no.seq ?? 0 };
  }
};

if (globalThis.process?.argv[2] !== undefined) {
  const { readFile } = await import("node:fs/promises");
  const [vkey, ...files] = process.argv.slice(2);
  for (const file of files) {
    const found = await verify(new Uint8Array(await readFile(file)), vkey);
    if (!found.ok) process.exitCode = 1;
    console.log(JSON.stringify({ file, ...found }));
  }
}

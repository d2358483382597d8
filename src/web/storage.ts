// What the browser keeps between pages. If the reader has forbidden that, it lasts as long as the page.
type KeyValueStorage = Pick<Storage, "getItem" | "setItem" | "removeItem">;

function onPage(): KeyValueStorage {
  const items = new Map<string, string>();
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem: (key, value) => void items.set(key, value),
    removeItem: (key) => void items.delete(key),
  };
}

function ofBrowser(): KeyValueStorage {
  try {
    return localStorage;
  } catch {
    return onPage();
  }
}

export const storage: KeyValueStorage = ofBrowser();

/** A value that is stored as JSON; undefined if there is none that can be read. */
export function storedJson(key: string): unknown {
  try {
    return JSON.parse(storage.getItem(key) ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}

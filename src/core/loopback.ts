// Recognises the names and addresses of the local machine.

/** `name` is a host without its port; an IPv6 address may have brackets. */
export const isLoopbackName = (name: string): boolean => /^(?:(?:[a-z0-9-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[::1\]|::1)$/i.test(name);

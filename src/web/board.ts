// The script of every page: starts what the page asks for; pages work without it.

document.documentElement.classList.add("scripted");

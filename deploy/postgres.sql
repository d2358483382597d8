-- The boards' user and database. The PostgreSQL of compose.yaml runs this once, as its superuser, when it makes its files; for another
-- server docs/nodes.md has the commands, and says what a board needs.
\getenv password POSTGRES_PASSWORD

-- It owns one database and can do nothing else: it reads no files, starts no programs, makes no users, and sees no other database.
CREATE ROLE blackboard LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD :'password';
CREATE DATABASE blackboard OWNER blackboard ENCODING 'UTF8' TEMPLATE template0;
REVOKE CONNECT, TEMPORARY ON DATABASE blackboard FROM PUBLIC;
REVOKE CONNECT, TEMPORARY ON DATABASE postgres FROM PUBLIC;
REVOKE CONNECT ON DATABASE template1 FROM PUBLIC;
-- From here on the superuser has no password, and so gets in on the machine itself only, over the socket.
ALTER ROLE CURRENT_USER PASSWORD NULL;

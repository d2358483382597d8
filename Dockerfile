# A board in a small image: built with everything, run with what is needed, as the user `node`.
FROM node:26-slim AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run build && npm prune --omit=dev --ignore-scripts

FROM node:26-slim
ENV NODE_ENV=production BOARD_HOST=0.0.0.0 BOARD_SMTP_HOST=0.0.0.0 BOARD_DATA_DIR=/data
WORKDIR /app
COPY --from=build /app/package.json ./
COPY --from=build /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY --from=build /app/clients ./clients
COPY --from=build /app/demo ./demo
COPY --from=build /app/icons ./icons
COPY --from=build /app/manual ./manual
COPY --from=build /app/models ./models
# So that `docker exec board blackboard operate stats` works.
RUN chmod 755 dist/bin.js && ln -s /app/dist/bin.js /usr/local/bin/blackboard
RUN mkdir /data /run/board && chown node:node /data /run/board
USER node
VOLUME /data
EXPOSE 8787 2525
# Asks /readyz with the settings of the board, over HTTPS where it has a certificate.
HEALTHCHECK --interval=10s --timeout=8s --start-period=20s CMD ["blackboard", "healthcheck"]
ENTRYPOINT ["blackboard"]
CMD ["serve"]

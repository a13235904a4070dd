-- Shows the costs of a profile in sources, with the answers of `cgannotate lsp`: see docs/editor.md.
-- It works in Neovim 0.7 and later. Hints and lenses that an older Neovim does not draw are drawn here.
local api, lsp = vim.api, vim.lsp
local namespace, group = api.nvim_create_namespace('cgannotate'), api.nvim_create_augroup('cgannotate', {})
local options = {
  cmd = { 'cgannotate', 'lsp' },
  filetypes = { 'c', 'cpp', 'd', 'fortran', 'go', 'nim', 'ocaml', 'pascal', 'php', 'rust', 'swift', 'zig' },
}
local failed = false -- A server ended with an error, so none is started again.
local clients = {} -- The id of the client, by root.
local changes = {} -- The number of the last request to draw, by buffer. Earlier ones are skipped.

local function request(client, ...)
  if vim.fn.has('nvim-0.11') == 1 then return client:request(...) end
  return client.request(...)
end

-- The folder of .git, otherwise the current folder.
local function root_of(path)
  local folder = vim.fn.fnamemodify(path, ':h')
  if vim.loop.fs_stat(folder .. '/.git') then return folder end
  return folder == path and vim.fn.getcwd() or root_of(folder)
end

local function has_profile(root)
  if options.profile then return vim.loop.fs_stat(root .. '/' .. options.profile) end
  local function is_profile(name) return name:find('^ca%a+grind%.out') and 1 or 0 end
  return #vim.fn.readdir(root, is_profile) > 0
end

local function draw_hints(client, buffer, params)
  local tick = api.nvim_buf_get_changedtick(buffer)
  request(client, 'textDocument/inlayHint', params, function(err, hints)
    if err or not api.nvim_buf_is_loaded(buffer) or api.nvim_buf_get_changedtick(buffer) ~= tick then return end
    api.nvim_buf_clear_namespace(buffer, namespace, 0, -1)
    for _, hint in ipairs(hints or {}) do
      local text = { { hint.label, 'CgannotateHint' } }
      api.nvim_buf_set_extmark(buffer, namespace, hint.position.line, 0, { virt_text = text, hl_mode = 'combine' })
    end
  end, buffer)
end

local function draw_lenses(client, buffer, params)
  request(client, 'textDocument/codeLens', params, function(err, lenses, context)
    if err or not api.nvim_buf_is_loaded(buffer) then return end
    -- Neovim 0.7 does not remove lenses that are gone.
    if not lsp.codelens.clear then api.nvim_buf_clear_namespace(buffer, lsp.codelens.__namespaces[client.id], 0, -1) end
    lsp.codelens.on_codelens(err, lenses or {}, context, {})
  end, buffer)
end

-- Waits until the buffer has not changed for 150 ms.
local function draw(client, buffer)
  changes[buffer] = (changes[buffer] or 0) + 1
  local change = changes[buffer]
  vim.defer_fn(function()
    if changes[buffer] ~= change or not lsp.buf_is_attached(buffer, client.id) then return end
    local first, last = { line = 0, character = 0 }, { line = api.nvim_buf_line_count(buffer), character = 0 }
    local params = { textDocument = { uri = vim.uri_from_bufnr(buffer) }, range = { start = first, ['end'] = last } }
    if not lsp.inlay_hint then draw_hints(client, buffer, params) end
    if not lsp.codelens.enable then draw_lenses(client, buffer, params) end
  end, 150)
end

local function on_attach(client, buffer)
  if lsp.inlay_hint then lsp.inlay_hint.enable(true, { bufnr = buffer }) end
  if lsp.codelens.enable then lsp.codelens.enable(true, { bufnr = buffer }) end
  local again = { buffer = buffer, group = group, callback = function() draw(client, buffer) end }
  api.nvim_create_autocmd({ 'BufEnter', 'InsertLeave', 'TextChanged' }, again)
  again.callback()
end

local function show(_, place)
  return { success = lsp.util.jump_to_location({ uri = place.uri, range = place.selection }, 'utf-16') }
end
local function draw_all(_, _, context)
  for buffer in pairs(changes) do draw(lsp.get_client_by_id(context.client_id), buffer) end
  return vim.NIL
end
local handlers = { ['window/showDocument'] = lsp.handlers['window/showDocument'] or show }
if not lsp.inlay_hint then handlers['workspace/inlayHint/refresh'] = draw_all end
if not lsp.codelens.enable then handlers['workspace/codeLens/refresh'] = draw_all end

local function start(event)
  local buffer, root = event.buf, root_of(api.nvim_buf_get_name(event.buf))
  if not vim.tbl_contains(options.filetypes, vim.bo[buffer].filetype) then return end
  if lsp.get_client_by_id(clients[root] or -1) then return lsp.buf_attach_client(buffer, clients[root]) end
  if failed or vim.fn.executable(options.cmd[1]) == 0 or not has_profile(root) then return end
  local refreshed, static = { refreshSupport = true }, { dynamicRegistration = false }
  local config = {
    name = 'cgannotate', cmd = options.cmd, root_dir = root, handlers = handlers, on_attach = on_attach,
    init_options = { profile = options.profile, baseline = options.baseline, lenses = options.lenses,
      hints = options.hints }, on_exit = function(code) failed = code ~= 0 end,
    capabilities = vim.tbl_deep_extend('force', lsp.protocol.make_client_capabilities(), {
      textDocument = { codeLens = static, inlayHint = static },
      workspace = { codeLens = refreshed, inlayHint = refreshed }, window = { showDocument = { support = true } },
    }),
  }
  clients[root] = lsp.start and lsp.start(config, { bufnr = buffer }) or lsp.start_client(config)
  lsp.buf_attach_client(buffer, clients[root])
end

-- The server then asks the editor to show the place that it found.
local function execute(name, ...)
  local client = lsp.get_client_by_id(clients[root_of(vim.fn.expand('%:p'))] or -1)
  if not client then return vim.notify('cgannotate: no profile for this file', vim.log.levels.WARN) end
  request(client, 'workspace/executeCommand', { command = 'cgannotate.' .. name, arguments = { ... } })
end

return { setup = function(changed)
  options = vim.tbl_extend('force', options, changed or {})
  vim.cmd('highlight default link CgannotateHint Comment | highlight default link LspCodeLens Comment')
  api.nvim_create_autocmd({ 'FileType', 'BufEnter' }, { group = group, callback = start })
  local command = api.nvim_create_user_command
  command('CgHottest', function() execute('hottestLine') end, {})
  command('CgNext', function() execute('nextHotLine', vim.uri_from_bufnr(0), vim.fn.line('.') - 1) end, {})
  command('CgCompare', function(typed)
    execute('compare', typed.args == '' and vim.NIL or vim.fn.fnamemodify(typed.args, ':p'))
  end, { nargs = '?', complete = 'file' })
end }

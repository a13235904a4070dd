-- Opens sources in a headless Neovim and checks what the plugin draws:
--
--     PROGRAM=target/debug/cgannotate nvim --headless --clean -c 'luafile tests/editors/nvim.lua'
--
-- $RECORDED is a folder with a profile that `cgannotate record` wrote. Without it, the test of such
-- profiles is skipped.
local here = vim.fn.fnamemodify(debug.getinfo(1, 'S').source:sub(2), ':p:h')
local repository = vim.fn.fnamemodify(here, ':h:h')
vim.opt.runtimepath:append(repository .. '/editors/nvim')
vim.opt.swapfile = false
local cgannotate = require('cgannotate')
local program = vim.fn.fnamemodify(os.getenv('PROGRAM'), ':p')

-- The virtual text of lines, by line number.
local function drawn(kind)
  local found = {}
  for name, id in pairs(vim.api.nvim_get_namespaces()) do
    if name:find(kind) then
      for _, mark in ipairs(vim.api.nvim_buf_get_extmarks(0, id, 0, -1, { details = true })) do
        local text = ''
        for _, piece in ipairs(mark[4].virt_text or {}) do text = text .. piece[1] end
        found[mark[2] + 1] = (found[mark[2] + 1] or '') .. text
      end
    end
  end
  return found
end
-- Neovim 0.10 and later draw hints themselves, in another namespace.
local function hints()
  if not vim.lsp.inlay_hint then return drawn('^cgannotate$') end
  local found = {}
  for _, hint in ipairs(vim.lsp.inlay_hint.get({ bufnr = 0 })) do
    found[hint.inlay_hint.position.line + 1] = hint.inlay_hint.label
  end
  return found
end
local function lenses() return drawn('codelens') end

local function wait_for(what, holds)
  assert(vim.wait(10000, holds, 50), what .. ': ' .. vim.inspect({ hints = hints(), lenses = lenses() }))
end
local function has(text, part) return text ~= nil and text:find(part, 1, true) ~= nil end

local function hover(line)
  vim.api.nvim_win_set_cursor(0, { line, 0 })
  vim.lsp.buf.hover()
  local text
  wait_for('hover', function()
    for _, window in ipairs(vim.api.nvim_list_wins()) do
      if vim.api.nvim_win_get_config(window).relative ~= '' then
        text = table.concat(vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, false), '\n')
        vim.api.nvim_win_close(window, true)
        return true
      end
    end
  end)
  return text
end

local function edit(command)
  vim.cmd('silent ' .. command)
  vim.cmd('doautocmd TextChanged') -- A script does not trigger it.
  vim.wait(700) -- Neovim moves the old virtual text until the server answers.
end

-- A profile that Callgrind wrote, without hashes of the lines.
local function plain()
  local folder = vim.fn.tempname()
  vim.fn.mkdir(folder .. '/.git', 'p')
  for _, name in ipairs({ 'http.c', 'server.c', 'server.old.out', 'server.new.out' }) do
    vim.fn.writefile(vim.fn.readfile(repository .. '/fixtures/diff/server/' .. name, 'b'), folder .. '/' .. name, 'b')
    if name:find('%.c$') then vim.loop.fs_utime(folder .. '/' .. name, 1e9, 1e9) end
  end
  cgannotate.setup({ cmd = { program, 'lsp' }, profile = 'server.new.out' })
  vim.cmd('edit ' .. folder .. '/http.c')
  wait_for('hints', function() return has(hints()[64], '5,040 Ir') and has(hints()[64], '20.9 %') end)
  wait_for('lenses', function() return has(lenses()[11], 'inclusive 9,600') and has(lenses()[11], '300 calls') end)
  local text = hover(13)
  assert(has(text, '1,200') and has(text, 'mix') and has(text, 'retry_loop'), text)

  vim.cmd('CgHottest')
  wait_for('the hottest line', function() return vim.fn.line('.') == 64 end)
  vim.cmd('CgNext')
  wait_for('the next line', function() return vim.fn.line('.') ~= 64 end)
  vim.cmd('CgCompare ' .. folder .. '/server.old.out')
  wait_for('changes', function() return has(hints()[64], '+') end)
  vim.cmd('CgCompare')
  wait_for('no changes', function() return has(hints()[64], '5,040 Ir') end)

  edit('1put! =[\'new\']')
  wait_for('nothing after an edit', function() return not next(hints()) and not next(lenses()) end)
  edit('undo')
  wait_for('everything after undo', function() return has(hints()[64], '5,040 Ir') and lenses()[11] end)
end

-- A profile that `cgannotate record` wrote: costs follow their lines.
local function recorded(folder)
  cgannotate.setup({ profile = '.' })
  vim.cmd('edit! ' .. folder .. '/requests.c')
  wait_for('hints', function() return has(hints()[22], 'Ir') end)
  wait_for('lenses', function() return has(lenses()[18], '60 calls') end)
  local before, above = hints()[22], hints()[20]
  assert(has(hover(22), 'regexec'), 'hover')
  edit('1put! =[\'new\', \'lines\']')
  wait_for('hints that follow', function() return hints()[24] == before and hints()[22] == above end)
  wait_for('lenses that follow', function() return has(lenses()[20], '60 calls') and not lenses()[18] end)
  edit('24substitute/found/seen/')
  wait_for('no hint at a changed line', function() return next(hints()) and not hints()[24] end)
end

local ok, why = pcall(function()
  plain()
  if os.getenv('RECORDED') then recorded(os.getenv('RECORDED')) end
end)
local version = vim.version()
local head = ('\ntests/editors/nvim.lua: Neovim %d.%d.%d: '):format(version.major, version.minor, version.patch)
io.stdout:write(head, ok and 'passed' or tostring(why), '\n')
vim.cmd(ok and 'qall!' or 'cquit!')
